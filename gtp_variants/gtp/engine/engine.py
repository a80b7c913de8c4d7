"""The GTP engine without I/O: it takes command lines as bytes and returns answers, some of them in parts.

Lines are read as in section 3.1 of the GTP version 2 draft. Control characters other than tab and newline are dropped,
and so is everything from '#' on. Tabs count as blanks. Empty lines are ignored, and so is a byte order mark.
"""

from codecs import BOM_UTF8
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
    """One command line. `id` is the number before the name, with its digits as sent, or "" without a number."""

    id: str
    name: str
    arguments: list[str]


def read_command(line: bytes) -> Command | None:
    """Return the command on a line, or None for a line that needs no answer: empty, a comment or only an id."""
    line = line.removeprefix(BOM_UTF8).translate(None, _DROPPED)
    text = line.partition(b"#")[0].replace(b"\t", b" ").replace(b"\n", b" ")
    # Bytes that are not UTF-8 become replacement characters, which can appear only in an error about an argument.
    words = [word for word in text.decode("utf-8", "replace").split(" ") if word]
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return Command(number, words[0], words[1:]) if words else None


def write_response(command_id: str, succeeded: bool, text: str) -> bytes:
    """Return the bytes of an answer: "=" or "?", the id, a blank, the text without empty lines, and two newlines."""
    lines = [line.rstrip() for line in text.replace("\r", "\n").split("\n")]
    body = "\n".join(line for line in lines if line)
    if text.startswith("\n") and body:
        # A diagram begins on a new line, because "= " would shift its first row.
        body = "\n" + body
    return (b"=" if succeeded else b"?") + command_id.encode() + b" " + _clean(body) + b"\n\n"


def _clean(text: str) -> bytes:
    return text.encode("utf-8", "replace").translate(None, _DROPPED)


def find_handler(name: str, *, is_in_seat: bool) -> Handler:
    """Return the handler of a command, either at our table or in a refereed seat."""
    if (name, is_in_seat) not in HANDLERS:
        load_subject(_SUBJECTS[name])
    return HANDLERS[name, is_in_seat]


def load_subject(subject: str) -> None:
    """Load the handlers of a subject. Raises ImportError if a declared command has no handler."""
    import_module(f"gtp_variants.gtp.engine.handlers.{subject}")
    places = ((command.name, in_seat) for command in DECLARATIONS[subject] for in_seat in command.places)
    missing = [name for name, in_seat in places if (name, in_seat) not in HANDLERS]
    if missing:
        raise ImportError(f"{subject}: no handler of {', '.join(missing)}")


class GtpEngine:
    """Answers the GTP lines of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def answer(self, line: bytes) -> bytes | None:
        """Return the answer to one line, or None if the line needs no answer. Never raises."""
        return b"".join(self.answers(line)) or None

    def answers(self, line: bytes) -> Iterator[bytes]:
        """Yield the answer to one line, part by part as each is ready. Never raises."""
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
            yield write_response(command.id, False, _refusal(error))
        except Exception:
            _log_traceback()
            yield write_response(command.id, False, "internal error")
        else:
            if answer is None or isinstance(answer, str):
                yield write_response(command.id, True, answer or "")
            else:
                yield from self._stream(command, answer)

    def _stream(self, command: Command, lines: Iterator[str]) -> Iterator[bytes]:
        """Yield an answer line by line. A failure only cuts the answer short, as "=" for success was already sent."""
        yield b"=" + command.id.encode() + b" \n"
        try:
            for line in lines:
                # An empty line would end the answer, so no empty line is sent.
                if cleaned := _clean(line.replace("\n", " ")).rstrip():
                    yield cleaned + b"\n"
        except VariantsError as error:
            log(f"warning: {command.name}: {error}")
        except Exception:
            _log_traceback()
        yield b"\n"


def _log_traceback() -> None:
    import traceback

    log(traceback.format_exc().rstrip())


def _refusal(error: VariantsError) -> str:
    """Return the text that follows '?' in the answer for an error."""
    text = str(error)
    if isinstance(error, IllegalMove):
        return f"illegal move {text}"
    if isinstance(error, NotationError) and not text.startswith("invalid colour or vertex"):
        return f"syntax error: {text}"
    if isinstance(error, RecordError):
        return f"cannot load file: {text}"
    return text
