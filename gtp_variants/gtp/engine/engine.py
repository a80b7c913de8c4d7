"""The GTP engine: a table of handlers around a session. No I/O: lines in, answers out, some of them bit by bit."""

from collections.abc import Iterable, Iterator

from gtp_variants.errors import IllegalMove, NotationError, RecordError, VariantsError
from gtp_variants.gtp.engine.handler import Handler
from gtp_variants.gtp.engine.handlers import COMMANDS, find_handler
from gtp_variants.gtp.engine.host.quirks import KGS
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.wire import (
    Command,
    read_command,
    response_begins,
    response_ends,
    response_line,
    write_response,
)
from gtp_variants.gtp.stderr_log import log


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
        from gtp_variants.gtp.engine.host.server_chat import kgs_chat

        engine.add("kgs-chat", kgs_chat)
    for subject, names in COMMANDS.items():
        for name in names.split():
            engine.add(name, find_handler(subject, name))
    return engine
