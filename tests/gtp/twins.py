"""Twin games at the GTP interface: one player's window, its log, and the times of its messages."""

from contextlib import redirect_stderr
from io import StringIO

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.stdio import NewsLog
from gtp_variants.players.player import news_of
from gtp_variants.records.notation import write_move
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from tests.gtp import leaks
from tests.support.programs import COMMAND, environment
from tests.support.twins import TwinPair

# What a program that shows a game to one player answers about it.
SHOWN = (
    *("gogui-rules_board", "gogui-rules_legal_moves", "gogui-rules_side_to_move", "gogui-rules_final_result"),
    *("gogui-rules_board_gfx", "gogui-rules_captured_count", "phantom-announcements", "phantom-announcements all"),
)


def _look(window: GtpController) -> list[str]:
    return [window.send(command) for command in SHOWN]


def watch_window(game: Game, colour: int) -> list[list[str]]:
    """All that the window of a colour shows from one thing it hears to the next.

    What the colour does not hear changes nothing in the window, not even for a moment.
    """
    command = (*COMMAND, "gtp", game.rules.spec, "--view", COLOUR_LETTERS[colour])
    with GtpController(ProcessChannel(command, is_quiet=True, environment=environment())) as window:
        shown = [_look(window)]
        for index, event in enumerate(game.events):
            move = write_move(game.rules.board, event.action)
            answer = window.send("play", COLOUR_LETTERS[event.actor], move)
            now = _look(window)
            if news_of(game, index, colour) is None:
                assert (answer, now) == ("", shown[-1][: len(SHOWN)]), f"{game.rules.spec}, event {index}"
            else:
                shown.append([*now, answer])
    return shown


def log_news(game: Game, colour: int) -> list[str]:
    """What the log says to who sees a colour's window; of what the colour does not hear it says nothing."""
    session, news_log, log = Session(game.rules.spec, viewer=colour), NewsLog(), StringIO()
    with redirect_stderr(log):
        for index, event in enumerate(game.events):
            before = log.tell()
            session.table.play(event.actor, event.action)
            news_log.update(session)
            assert log.tell() == before or news_of(game, index, colour) is not None
    return log.getvalue().splitlines()


def compare_windows(pair: TwinPair) -> None:
    """Compare what the window of a colour shows, and its log, of two games that sound alike to it."""
    shown, logs = ([watch(game, pair.colour) for game in pair.games] for watch in (watch_window, log_news))
    assert shown[0] == shown[1], f"pair {pair.number}, {pair.spec}"
    assert logs[0] == logs[1], f"pair {pair.number}, {pair.spec}"
    assert logs[0]


def compare_answers(pair: TwinPair) -> None:
    """Compare all that a seat, and whoever sits on it, gets out of two games that sound alike to it."""
    first, second = (leaks.seen(game, pair.colour, pair.number) for game in pair.games)
    for key, value in first.items():
        assert second.get(key) == value, f"pair {pair.number}, {pair.spec}, {key}"
