"""Fixtures and settings for all tests."""

import os
import signal
import sys
import tempfile
from pathlib import Path

# A shell that starts the tests in the background has them ignore Ctrl-C, and the programs that a test interrupts would
# inherit that and go on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where Python is told to keep no compiled modules, every process that a test starts would compile the package again,
# and both processes that run the tests would prepare every test module. They are kept outside the checkout then.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    compiled = Path(tempfile.gettempdir(), "gtp_variants_tests_compiled")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(compiled)
    sys.dont_write_bytecode = False
