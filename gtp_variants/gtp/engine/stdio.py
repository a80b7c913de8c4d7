"""The engine's loop on standard input and output: answer each line from the host until `quit` or the end."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import BinaryIO

from gtp_variants.gtp.engine.engine import GtpEngine, read_command, write_response
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import say
from gtp_variants.records.sentences import announcements, draw_sentence
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules

# Maximum bytes per line. No command is longer. The rest of a longer line is dropped, to limit memory.
MAX_LINE = 16 * 2**20

_CHUNK = 65536
_INTERRUPT = b"# interrupt"

# A line without its newline, and True if it was too long and has been cut.
Line = tuple[bytes, bool]


class LineReader:
    """The lines of a stream, in order.

    A thread reads ahead once the program has asked about pending input. The reader bypasses Python's own buffer,
    because a waiting thread would still hold the lock of that buffer when the program ends.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = _lines(getattr(stream, "raw", stream).read)
        self._ahead: queue.SimpleQueue[Line | None] | None = None
        # True once the end has been read, and once it has been taken. Only the thread sets `_is_end_read`.
        self._is_end_read = self._is_end_taken = False
        # How many interrupts have been read, and how many taken. Only the thread changes `_interrupts_read`.
        self._interrupts_read = self._interrupts_taken = 0

    def take(self) -> Line | None:
        """Wait for the next line and return it, or None at the end."""
        if self._ahead is None:
            return next(self._lines, None)
        line = None if self._is_end_taken else self._ahead.get()
        self._is_end_taken = line is None
        if line is not None and _is_interrupt(line):
            self._interrupts_taken += 1
        return line

    def has_more(self) -> bool:
        """Return True if the next line, or the end of the input, has arrived."""
        return self._is_end_taken or not self._read_ahead().empty()

    def has_ended(self) -> bool:
        """Return True if the end of the input has been read, even if some lines have not been taken."""
        self._read_ahead()
        return self._is_end_read

    def has_interrupt(self) -> bool:
        """Return True if GoGui's interrupt, which is a comment line, has arrived but has not been taken."""
        self._read_ahead()
        return self._interrupts_read > self._interrupts_taken

    def _read_ahead(self) -> "queue.SimpleQueue[Line | None]":
        if self._ahead is None:
            self._ahead = queue.SimpleQueue()
            threading.Thread(target=self._fill, args=(self._ahead,), daemon=True).start()
        return self._ahead

    def _fill(self, ahead: "queue.SimpleQueue[Line | None]") -> None:
        # The line is queued first, so that no interrupt is reported before its line can be taken.
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
    """A log of a game's news: the referee's announcements, the draw, and the points that the draw opens.

    If only one player's knowledge may be shown, it logs only what that player is told.
    """

    def __init__(self) -> None:
        self._logged: object = None

    def update(self, session: Session) -> None:
        """Log what has happened in a session's game since the last call."""
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
                log(say("game.suspended", rules.lang))

    def _log_position(self, rules: Rules, position: Position) -> None:
        if position == self._logged:
            return
        self._logged = position
        for sentence in announcements(rules, position):
            log(sentence)
        if rules.is_suspended(position):
            log(say("game.suspended", rules.lang))
        draw = draw_sentence(rules, position)
        if draw is not None and isinstance(rules, DicedRules):
            points = " ".join(rules.board.vertices_of(rules.open_points(position)))
            log(f"{colour_name(position.mover, rules.lang)}, {draw} {points}".rstrip())


def serve(engine: GtpEngine, commands: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line of `commands` on `answers`, until `quit` or the end.

    At the end, a search limited by time stops at once with its best move so far. Work of a fixed amount is finished, so
    that a file gets the same answers as a keyboard: judging dead stones, and searching for a set number of playouts.
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
        # When a host replays a whole game, only the last position is logged.
        if engine.session.quirks.logs_news and not reader.has_more():
            news_log.update(engine.session)


def _too_long(line: bytes) -> Iterator[bytes]:
    command = read_command(line)
    # A comment or a blank line needs no answer, however long it is.
    if command is not None:
        yield write_response(command.id, False, f"syntax error: a line over {MAX_LINE} bytes")
