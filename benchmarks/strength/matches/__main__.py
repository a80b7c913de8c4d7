"""`python -m benchmarks.strength.matches`: see `program.py`."""

import signal
import sys

from benchmarks.strength.matches.program import main

# A run in the background does not hear Ctrl-C; `kill` ends it as cleanly.
signal.signal(signal.SIGTERM, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
