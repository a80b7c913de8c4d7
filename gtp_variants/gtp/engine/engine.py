"""The GTP engine: a session, and a handler for each command. No I/O: lines in, answers out, some of them bit by bit.

GTP lines as bytes to commands, answers to bytes. Pure: no state, no I/O.

The rules are those of the GTP version 2 draft, 3.1: control characters other than tab and newline are dropped, a line
is cut at '#', tabs are blanks, empty lines are ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from gtp_variants.errors import IllegalMove, NotationError, RecordError, VariantsError
from gtp_variants.gtp.engine.commands import DECLARATIONS, HANDLERS, Handler, known_commands
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log

_SUBJECTS = {command.name: subject for subject, commands in DECLARATIONS.items() for command in commands}
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


def find_handler(name: str, *, is_in_seat: bool) -> Handler:
    """Return the handler of a command that works at our table, or in a seat."""
    if (name, is_in_seat) not in HANDLERS:
        load_subject(_SUBJECTS[name])
    return HANDLERS[name, is_in_seat]


def load_subject(subject: str) -> None:
    """Load the handlers of a subject. Raises ImportError if a declared command has none."""
    import_module(f"gtp_variants.gtp.engine.handlers.{subject}")
    missing = [
        command.name
        for command in DECLARATIONS[subject]
        for is_in_seat in command.where.lives
        if (command.name, is_in_seat) not in HANDLERS
    ]
    if missing:
        raise ImportError(f"{subject}: no handler of {', '.join(missing)}")


class GtpEngine:
    """Answers GTP lines.

    A handler returns the text of its answer, or an iterator of its lines where each is to be read as soon as it is
    known; or it raises VariantsError.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def answer(self, line: bytes) -> bytes | None:
        """The answer to one line, None for a line that asks nothing. Never raises."""
        return b"".join(self.answers(line)) or None

    def answers(self, line: bytes) -> Iterator[bytes]:
        """The answer to one line in the parts in which it comes, none for a line that asks nothing. Never raises."""
        session, command = self.session, read_command(line)
        if command is None:
            return
        try:
            declaration = known_commands(session).get(command.name)
            if declaration is None:
                yield write_response(command.id, False, "unknown command")
                return
            declaration.check(session, command.arguments)
            handler = find_handler(command.name, is_in_seat=session.is_in_seat)
            answer = handler(session, command.arguments)
        except VariantsError as error:
            yield write_response(command.id, False, refusal(error))
        except Exception:
            _log_traceback()
            yield write_response(command.id, False, "internal error")
        else:
            yield from self._parts(command, answer)

    def _parts(self, command: Command, answer: str | Iterator[str]) -> Iterator[bytes]:
        if isinstance(answer, str):
            yield write_response(command.id, True, answer)
            return
        yield response_begins(command.id)
        try:
            yield from map(response_line, answer)
        except VariantsError as error:
            log(f"warning: {command.name}: {error}")
        except Exception:
            _log_traceback()
        yield response_ends()


def _log_traceback() -> None:
    import traceback

    log(traceback.format_exc().rstrip())


def refusal(error: VariantsError) -> str:
    """The text after '?' for an error."""
    text = str(error)
    if isinstance(error, IllegalMove):
        return f"illegal move {text}"
    if isinstance(error, NotationError) and not text.startswith("invalid colour or vertex"):
        return f"syntax error: {text}"
    if isinstance(error, RecordError):
        return f"cannot load file: {text}"
    return text
