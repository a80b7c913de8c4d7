"""Fixtures and settings for all tests."""

import os
import signal
import sys

# A shell that starts the tests in the background has them ignore Ctrl-C, and the programs that a test interrupts would
# inherit that and go on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where Python is told to keep no compiled modules, every process that a test starts would compile the package again,
# and both processes that run the tests would prepare every test module. The tests keep them, where git ignores them.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.dont_write_bytecode = False

# Most tests have bots and programs that leave traces in their folder. Tests of the wall choose its kind themselves.
os.environ["GTP_VARIANTS_WALL"] = "none"
