"""Rotating log files without passwords: one for the bridge, and one for each game."""

import logging
import sys
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from gtp_variants.bridge.core.config import OutputConfig, Password


class _Hiding(logging.Formatter):
    def __init__(self, secret: Password) -> None:
        super().__init__("%(asctime)s %(message)s")
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        return self._secret.hidden_in(super().format(record))


class _File(RotatingFileHandler):
    """A file that is created with its first line. A failure to write is reported once and otherwise ignored."""

    _is_faulty = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        if not self._is_faulty:
            self._is_faulty = True
            print(f"{self.baseFilename}: cannot be written: {sys.exc_info()[1]}", file=sys.stderr)

    def close(self) -> None:
        with suppress(OSError):
            super().close()


class Log:
    """A rotating log file, whose lines can also be shown on standard error."""

    def __init__(self, path: Path, config: OutputConfig, secret: Password, *, is_shown: bool = False) -> None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._logger = logging.Logger(path.stem)
        self.path = path
        file = _File(path, maxBytes=config.log_bytes, backupCount=config.log_files, encoding="utf-8", delay=True)
        handlers: list[logging.Handler] = [file]
        if is_shown:
            shown = logging.StreamHandler()
            shown.setLevel(logging.INFO)
            handlers.append(shown)
        for handler in handlers:
            handler.setFormatter(_Hiding(secret))
            self._logger.addHandler(handler)

    def __call__(self, text: str) -> None:
        """Log a line, and show it on standard error if this log is also shown there."""
        self._logger.info("%s", text)

    def quietly(self, text: str) -> None:
        """Log a line in the file only."""
        self._logger.debug("%s", text)

    def failure(self, text: str, error: BaseException) -> None:
        """Log an unexpected error with its traceback."""
        self._logger.error("%s", text, exc_info=error)

    def close(self) -> None:
        for handler in self._logger.handlers[:]:
            self._logger.removeHandler(handler)
            handler.close()


def prune(folder: Path, kept: int) -> None:
    """Delete all game logs except the newest `kept`, along with the files that belong to them."""
    stems = {path.name.split(".")[0] for path in folder.glob("*.*")}
    newest = sorted(stems, reverse=True)[:kept]
    for path in folder.glob("*.*"):
        if path.name.split(".")[0] not in newest:
            with suppress(OSError):
                path.unlink()
