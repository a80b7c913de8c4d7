"""Fixtures and settings for all tests."""

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, and the programs that a test interrupts would
# inherit that and go on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
