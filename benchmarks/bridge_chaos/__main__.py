"""`python benchmarks/bridge_chaos`, from any folder."""

import os
import signal
import sys
from pathlib import Path

# Instead of this folder, whose modules have everyday names.
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.bridge_chaos.program import main

os.nice(5)
# A run in the background does not hear Ctrl-C; `kill` ends it, and its bridges, as cleanly.
signal.signal(signal.SIGTERM, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
