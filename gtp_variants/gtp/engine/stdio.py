"""The loop of an engine on standard input and output: a line in, its answer out, until `quit` or the end.

Reads the host's command lines, and can tell without blocking whether another one, or the end, has arrived.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

from gtp_variants.gtp.engine.engine import GtpEngine, read_command, write_response
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules

# A longer line is no command of anybody's; the rest of it is dropped so that memory stays bounded.
MAX_LINE = 16 * 2**20

_CHUNK = 65536
_INTERRUPT = b"# interrupt"

Line = tuple[bytes, bool]


class LineReader:
    """The lines of a stream, in order: each without its newline, and whether it was too long and is cut.

    From the first question whether more have come on, a thread reads them ahead. It reads the stream past Python's own
    buffer, whose lock a thread that waits would keep when the program ends.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = _lines(getattr(stream, "raw", stream).read)
        self._ahead: queue.SimpleQueue[Line | None] | None = None
        # Whether the end has been read, and whether its turn has come; the first is the thread's to say.
        self._is_end_read = self._is_end_taken = False
        # Interrupts that have come, and those whose turn has come; the first is the thread's to count.
        self._interrupts_read = self._interrupts_taken = 0

    def take(self) -> Line | None:
        """The next line, waited for; None at the end."""
        if self._ahead is None:
            return next(self._lines, None)
        line = None if self._is_end_taken else self._ahead.get()
        self._is_end_taken = line is None
        if line is not None and _is_interrupt(line):
            self._interrupts_taken += 1
        return line

    def has_more(self) -> bool:
        """Whether the next line, or the end, has come."""
        return self._is_end_taken or not self._read_ahead().empty()

    def has_ended(self) -> bool:
        """Return True if the end has come, however many lines before it still wait to be taken."""
        self._read_ahead()
        return self._is_end_read

    def has_interrupt(self) -> bool:
        """Whether GoGui's word for it, a comment, is among what has come."""
        self._read_ahead()
        return self._interrupts_read > self._interrupts_taken

    def _read_ahead(self) -> "queue.SimpleQueue[Line | None]":
        if self._ahead is None:
            self._ahead = queue.SimpleQueue()
            threading.Thread(target=self._fill, args=(self._ahead,), daemon=True).start()
        return self._ahead

    def _fill(self, ahead: "queue.SimpleQueue[Line | None]") -> None:
        # Each line waits before its interrupt counts: an interrupt is never seen without its line.
        for line in self._lines:
            ahead.put(line)
            if _is_interrupt(line):
                self._interrupts_read += 1
        ahead.put(None)
        self._is_end_read = True


def _is_interrupt(line: Line) -> bool:
    return line[0].strip() == _INTERRUPT


def _lines(read: Callable[[int], bytes]) -> Iterator[Line]:
    begun, is_cut = bytearray(), False
    while chunk := read(_CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            begun += part
            yield bytes(begun[:MAX_LINE]), is_cut or len(begun) > MAX_LINE
            begun, is_cut = bytearray(), False
        begun += rest
        if len(begun) > MAX_LINE:
            del begun[MAX_LINE:]
            is_cut = True
    if begun:
        yield bytes(begun), is_cut


class NewsLog:
    """Logs what changed since it looked last: what the referee said, the draw and what it opens.

    Where only the knowledge of one player is shown, it logs what that player is told, and nothing of what they are not.
    """

    def __init__(self) -> None:
        self._logged: object = None

    def update(self, session: Session) -> None:
        """Log the news of a session's game, if there are any."""
        view = session.play.shown_view
        if view is None:
            self._log_position(session.rules, session.position)
        elif view.news != self._logged:
            self._logged = view.news
            rules = session.rules
            said = view.news[-1].said if view.news else ()
            for sentence in rules.sentences(said) if isinstance(rules, HiddenRules) else ():
                log(sentence)
            if view.passes >= rules.end_passes and not view.final:
                _log_suspension(rules)

    def _log_position(self, rules: Rules, position: Position) -> None:
        from gtp_variants.records.sentences import announcements, draw_sentence

        if position == self._logged:
            return
        self._logged = position
        for sentence in announcements(rules, position):
            log(sentence)
        if rules.is_suspended(position):
            _log_suspension(rules)
        draw = draw_sentence(rules, position)
        if draw is not None and isinstance(rules, DicedRules):
            points = " ".join(rules.board.vertices_of(rules.open_points(position)))
            log(f"{colour_name(position.mover, rules.lang)}, {draw} {points}".rstrip())


def _log_suspension(rules: Rules) -> None:
    from gtp_variants.lang import say

    log(say("game.suspended", rules.lang))


def serve(engine: GtpEngine, commands: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line of `commands` on `answers`, each at once, until `quit` or the end.

    Lines that came before the end are all answered. From the end on a search that is limited by time stops at once and
    answers with the best move so far. Work of a fixed amount is finished, so that a script in a file gets the same
    answers as one that is typed: a search of a number of playouts, also of a level that has one, and the judging of
    which stones are dead.
    """
    reader, news_log = LineReader(commands), NewsLog()
    engine.session.has_pending_command = reader.has_more
    engine.session.is_interrupted = reader.has_interrupt
    engine.session.has_input_ended = reader.has_ended
    while not engine.session.is_done:
        taken = reader.take()
        if taken is None:
            return
        line, is_cut = taken
        for part in _too_long(line) if is_cut else engine.answers(line):
            answers.write(part)
            answers.flush()
        # A host that replays a game is told only where it has come to.
        if engine.session.quirks.logs_news and not reader.has_more():
            news_log.update(engine.session)


def _too_long(line: bytes) -> Iterator[bytes]:
    command = read_command(line)
    # A comment or blanks, however long, ask nothing.
    if command is not None:
        yield write_response(command.id, False, f"syntax error: a line over {MAX_LINE} bytes")
