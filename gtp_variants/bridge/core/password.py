"""A password: from the environment or a file that only its owner can read, never from the configuration itself."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.gtp.client.peer import hide_variable

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Password:
    """A password. It shows itself nowhere; `reveal` is for the line to the server alone. "" is no password."""

    _text: str = ""

    def reveal(self) -> str:
        """The password."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "Secret(***)"

    def hidden_in(self, text: str) -> str:
        """The text, the password in it replaced by stars."""
        return text.replace(self._text, "***") if self._text else text


def from_environment(name: str) -> Password:
    """The password in a variable. Raises ValueError that says what is wrong."""
    # Neither engines nor hooks inherit it.
    hide_variable(name)
    text = os.environ.get(name)
    if not text:
        raise ValueError(f"the variable {name} is not set")
    return _check(text)


def from_file(path: Path) -> Password:
    """The password in the first line of a file. Raises ValueError that says what is wrong, the rights included."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            line = file.read(_LONGEST).split(b"\n")[0]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    if os.name == "posix" and mode & _OTHERS:
        raise ValueError(f"{path} can be read by others (mode {mode & 0o777:03o}); expected 600: chmod 600 {path}")
    return _check(line.decode("utf-8", "replace").strip())


def _check(text: str) -> Password:
    if not text or not text.isprintable():
        raise ValueError("expected a password of printable characters")
    return Password(text)
