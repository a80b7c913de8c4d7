"""`python -m benchmarks.correctness.bridge_chaos`: see `program.py`."""

import os
import signal
import sys

from benchmarks.correctness.bridge_chaos.program import main

os.nice(5)
# A run in the background gets no Ctrl-C; `kill` ends it and its bridges as cleanly.
signal.signal(signal.SIGTERM, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
