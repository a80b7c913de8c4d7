"""The loop of an engine on standard input and output: a line in, its answer out, until `quit` or the end."""

from collections.abc import Iterator
from typing import BinaryIO

from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.host.news_log import NewsLog
from gtp_variants.gtp.engine.line_reader import MAX_LINE, LineReader
from gtp_variants.gtp.engine.wire import read_command, write_response


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
