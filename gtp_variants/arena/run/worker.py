"""The process that plays games for a match: fixtures come in, finished games go out, as pickles on pipes.

A process of its own, so that nothing a player does in it, be it a crash or an endless loop, is the end of the match.
It ends when its input does, and with it every program that it started.
"""

import os
import pickle
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from traceback import format_exc
from typing import Any

from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena.result_row import FinishedGame, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.crash_log import CrashLog
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.schedule import Fixture
from gtp_variants.base.processes.guardian import end_strays
from gtp_variants.errors import VariantsError
from gtp_variants.players.isolated.description import protect_memory
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules.words import COLOUR_LETTERS


def main(log_file: str, logs: str, guarded: str) -> None:
    """Play what comes on standard input until it ends; answer a game, or in words why there is none.

    `guarded` is "" where no guardian is above this process.
    """
    protect_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a bot prints must not be taken for a game.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        log = CrashLog(Path(log_file))
        log.note_process()
        asked: SimpleQueue[Any] = SimpleQueue()
        playing = threading.Event()
        threading.Thread(target=_receive, args=(asked, playing), daemon=True).start()
        while (fixture := asked.get()) is not None:
            log.begin()
            answer: object
            try:
                decisions: Decisions = {}
                row, record = play_game(fixture, Path(logs), log, decisions)
                answer = pack_game(fixture, row, record, decisions)
            except VariantsError as error:
                answer = str(error)
            except Exception:
                answer = format_exc()
            if guarded and not engines.has_processes():
                end_strays()
            try:
                pickle.dump(answer, answers)
                playing.clear()
                answers.flush()
            except BrokenPipeError:
                os._exit(0)
    engines.end_all()


def pack_game(fixture: Fixture, row: ResultRow, record: Record, decisions: Decisions) -> FinishedGame:
    """A game as it is handed over: as text, because all its positions would be a heavy thing to send."""
    samples = b"" if fixture.export == "none" else _encode(fixture, row, record, decisions)
    return FinishedGame(row, to_sgf(record), replay(record) if fixture.is_shown else "", samples)


def _encode(fixture: Fixture, row: ResultRow, record: Record, decisions: Decisions) -> bytes:
    from gtp_variants.ai.samples.files import write_samples
    from gtp_variants.ai.samples.game_samples import encode_game

    players = {COLOUR_LETTERS[colour]: fixture.player(colour).name for colour in record.game.rules.colours}
    return write_samples(encode_game(row.id, record.game, decisions, row.result, players), fixture.export)


def _receive(asked: "SimpleQueue[Any]", playing: threading.Event) -> None:
    """Take in what is sent. When whoever sends is gone a game that is on is given up, and the process ends."""
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            fixture = pickle.load(sys.stdin.buffer)
            playing.set()
            asked.put(fixture)
    if playing.is_set():
        os._exit(0)
    asked.put(None)
