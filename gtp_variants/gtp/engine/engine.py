"""The GTP engine: a table of handlers around a session. No I/O: lines in, answers out, some of them bit by bit.

GTP lines as bytes to commands, answers to bytes. Pure: no state, no I/O.

The rules are those of the GTP version 2 draft, 3.1: control characters other than tab and newline are dropped, a line
is cut at '#', tabs are blanks, empty lines are ignored.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gtp_variants.errors import IllegalMove, NotationError, RecordError, VariantsError
from gtp_variants.gtp.engine.handler import Handler
from gtp_variants.gtp.engine.handlers import COMMANDS, find_handler
from gtp_variants.gtp.engine.quirks import KGS
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log

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


class GtpEngine:
    """Answers GTP lines. `add` puts a handler under a name.

    A handler returns the text of its answer, or an iterator of its lines where each is to be read as soon as it is
    known; or it raises VariantsError.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._handlers: dict[str, Handler] = {
            "help": lambda session, arguments: "\n".join(self.commands()),
            "list_commands": lambda session, arguments: "\n".join(self.commands()),
            "known_command": lambda session, arguments: (
                "true" if arguments and arguments[0] in self._handlers else "false"
            ),
        }

    def add(self, name: str, handler: Handler) -> None:
        """Answer commands of this name with the handler."""
        self._handlers[name] = handler

    def commands(self) -> Iterable[str]:
        """The names of all commands."""
        return sorted(self._handlers)

    def answer(self, line: bytes) -> bytes | None:
        """The answer to one line, None for a line that asks nothing. Never raises."""
        return b"".join(self.answers(line)) or None

    def answers(self, line: bytes) -> Iterator[bytes]:
        """The answer to one line in the parts in which it comes, none for a line that asks nothing. Never raises."""
        command = read_command(line)
        if command is None:
            return
        try:
            handler = self._handlers.get(command.name)
            if handler is None:
                yield write_response(command.id, False, "unknown command")
                return
            answer = handler(self.session, command.arguments)
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


def make_engine(session: Session) -> GtpEngine:
    """An engine with all the commands of this package."""
    engine = GtpEngine(session)
    if session.quirks.chat == KGS:
        # Only where it is asked for: kgsGtp from 3.5.20 on crashes with an engine that has it.
        from gtp_variants.gtp.engine.server_chat import kgs_chat

        engine.add("kgs-chat", kgs_chat)
    for subject, names in COMMANDS.items():
        for name in names.split():
            engine.add(name, find_handler(subject, name))
    return engine
