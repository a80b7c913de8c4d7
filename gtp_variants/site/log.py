"""The log of a site on standard error, in lines without control characters, because strangers choose parts of them."""

import logging
import sys

from gtp_variants.records.record import printable


class _PlainLines(logging.Formatter):
    """Writes a message in one line. The lines of a traceback are indented, so that none looks like a message."""

    def format(self, record: logging.LogRecord) -> str:
        record.msg, record.args = printable(record.getMessage()), ()
        first, *more = super().format(record).split("\n")
        return "\n".join([first, *(f"  {printable(line)}" for line in more)])


def log_warnings() -> None:
    """Write the warnings and errors of all loggers to standard error from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_PlainLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
