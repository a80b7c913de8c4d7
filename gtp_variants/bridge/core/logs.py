"""Logs that turn over and hold no password: one of the bridge, and one of each game."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from gtp_variants.bridge.core.config import OutputConfig
from gtp_variants.bridge.core.password import Password

_FORM = "%(asctime)s %(message)s"


class _Hiding(logging.Formatter):
    def __init__(self, secret: Password) -> None:
        super().__init__(_FORM)
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        return self._secret.hidden_in(super().format(record))


class Log:
    """One log file that turns over; with `is_shown` what it is told goes to standard error as well."""

    def __init__(self, path: Path, config: OutputConfig, secret: Password, *, is_shown: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._logger = logging.Logger(path.stem)
        self.path = path
        handlers: list[logging.Handler] = [
            RotatingFileHandler(path, maxBytes=config.log_bytes, backupCount=config.log_files, encoding="utf-8")
        ]
        if is_shown:
            shown = logging.StreamHandler()
            shown.setLevel(logging.INFO)
            handlers.append(shown)
        for handler in handlers:
            handler.setFormatter(_Hiding(secret))
            self._logger.addHandler(handler)

    def __call__(self, text: str) -> None:
        """Note something for people who look on."""
        self._logger.info("%s", text)

    def quietly(self, text: str) -> None:
        """Note something that belongs in the file only."""
        self._logger.debug("%s", text)

    def failure(self, text: str, error: BaseException) -> None:
        """Note an error that nobody expected, with where it came from."""
        self._logger.error("%s", text, exc_info=error)

    def close(self) -> None:
        """Let go of the file."""
        for handler in self._logger.handlers[:]:
            self._logger.removeHandler(handler)
            handler.close()


def prune(folder: Path, kept: int) -> None:
    """Delete all but the newest logs of games, with what belongs to them."""
    stems = {path.name.split(".")[0] for path in folder.glob("*.*")}
    newest = sorted(stems, reverse=True)[:kept]
    for path in folder.glob("*.*"):
        if path.name.split(".")[0] not in newest:
            path.unlink(missing_ok=True)
