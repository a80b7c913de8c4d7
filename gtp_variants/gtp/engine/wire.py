"""GTP lines as bytes to commands, answers to bytes. Pure: no state, no I/O.

The rules are those of the GTP version 2 draft, 3.1: control characters other than tab and newline are dropped, a line
is cut at '#', tabs are blanks, empty lines are ignored.
"""

from dataclasses import dataclass

_DROPPED = bytes([*range(9), *range(11, 32), 127])


@dataclass(frozen=True, slots=True)
class Command:
    """One command line. `id` is the digits before the name as they stood, "" if there were none."""

    id: str
    name: str
    arguments: list[str]


def read_command(line: bytes) -> Command | None:
    """The command of a line, None for a line to which there is no answer (empty, comment, only an id)."""
    text = line.translate(None, _DROPPED).partition(b"#")[0].replace(b"\t", b" ").replace(b"\n", b" ")
    # Bytes that are no UTF-8 become question marks of their own kind; they can only be part of an argument's error.
    words = [word for word in text.decode("utf-8", "replace").split(" ") if word]
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return Command(number, words[0], words[1:]) if words else None


def write_response(command_id: str, succeeded: bool, text: str) -> bytes:
    """The bytes of an answer: always a blank before the text, no empty line inside, two newlines after."""
    lines = [line.rstrip() for line in text.replace("\r", "\n").split("\n")]
    body = "\n".join(line for line in lines if line)
    if text.startswith("\n") and body:
        # A picture whose first row must not stand behind "= ".
        body = "\n" + body
    return (b"=" if succeeded else b"?") + command_id.encode() + b" " + _clean(body) + b"\n\n"


def response_begins(command_id: str) -> bytes:
    """The first bytes of an answer whose lines follow one by one."""
    return b"=" + command_id.encode() + b" \n"


def response_line(line: str) -> bytes:
    """One line of such an answer; nothing for an empty one, which would end it."""
    cleaned = _clean(line.replace("\n", " ")).rstrip()
    return cleaned + b"\n" if cleaned else b""


def response_ends() -> bytes:
    """The last byte of such an answer."""
    return b"\n"


def _clean(text: str) -> bytes:
    return text.encode("utf-8", "replace").translate(None, _DROPPED)
