"""Dead stones in matches: programs that agree are believed, otherwise a search judges. A doubtful win is reported."""

from collections.abc import Collection
from typing import Any, cast

import pytest

from gtp_variants.arena.config.match_config import GameSettings, Matchup
from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.report.text_report import with_ids
from gtp_variants.arena.run.hangs import Forfeit
from gtp_variants.arena.run.referee import Referee, RefereeVerdict, make_row
from gtp_variants.arena.schedule import Fixture
from gtp_variants.arena.tally import MatchupTally
from gtp_variants.errors import PeerGarbled
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players.clock import Clock
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, WHITE
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

# Our level 2 passed with all of its stones dead. GNU Go 3.8, which was Black, counts B+73.5.
_LOST = """
    E5 H2 F2 B3 H4 J2 F4 G3 C6 G7 B5 G6 G4 J6 E7 E2 F3 D7 C7 A7 C2 C8 B8 H6 F8 J7 G8 E8 D6 D8 E9 F7 E6 B2 D2 H9 H8 A9 D9
    J5 J4 G9 J8 D4 C4 A6 B4 E4 E1 E3 A8 B7 B9 F6 F5 A2 C3 H1 G2 H3 G1 A4 A5 A3 B1 G5 H5 D5 C5 F9 J9 G9 F9 C1 D1 J3
""".split()


class _Scripted(GtpPlayer):
    """A program that plays the given moves and then passes. It calls the stones `dead`, or does not say if None."""

    def __init__(self, moves: list[str], dead: str | None) -> None:
        super().__init__(cast("Any", None))
        self._moves, self._dead = iter(moves), dead

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        self.rules = rules

    def hear(self, news: News) -> None:
        self.last = news.action

    def choose(self, view: View, clock: Clock) -> int:
        word = next(self._moves, "")
        return self.rules.board.point(word) if word else PASS

    def negotiate(self, command: str, agreement: str = "", unasked: str = "") -> str:
        return ""

    def find_dead(self) -> Collection[int] | None:
        assert self.last == PASS, "the program does not know that the game has stopped"
        if self._dead == "garbled":
            raise PeerGarbled("cannot read its answer")
        return None if self._dead is None else {self.rules.board.point(word) for word in self._dead.split()}

    def leave(self, outcome: Outcome | None) -> None:
        pass


def play(spec: str, *dead: str | None) -> tuple[Table, RefereeVerdict]:
    table = Table(parse(spec), lambda: DiceStream("1"))
    colours = (BLACK, WHITE)
    players = {colour: _Scripted(_LOST[colour - 1 :: 2], dead[colour - 1]) for colour in colours}
    return table, Referee(table, players, dict.fromkeys(colours, "1"), GameSettings(table.rules.spec)).run()


@pytest.mark.parametrize(
    ("dead", "result", "failures"),
    [
        ((None, None), "B+73.5", ()),
        # One stone names its chain.
        (("H2", "H2"), "B+13.5", ()),
        (("", ""), "W+0.5", ()),
        (("", "H2"), "B+73.5", ()),
        ((None, ""), "B+73.5", ()),
        (("garbled", ""), "B+73.5", (Forfeit(BLACK, "protocol", "in find_dead: cannot read its answer"),)),
    ],
)
def test_programs_that_agree_on_dead_stones_are_believed_and_otherwise_a_search_judges(
    dead: tuple[str | None, str | None], result: str, failures: tuple[Forfeit, ...]
) -> None:
    _, verdict = play("go:size=9", *dead)
    assert verdict.outcome is not None
    assert (verdict.outcome.sgf, verdict.kind, verdict.failures) == (result, "played", failures)


@pytest.mark.parametrize("dead", ["none", "agreed"])
def test_a_win_by_dead_stones_that_nobody_judged_is_reported(dead: str) -> None:
    table, verdict = play(f"go:size=9,dead={dead}", "", "")
    assert verdict.outcome is not None
    assert verdict.outcome.sgf == "W+0.5"
    assert verdict.why == "the winner depends on dead stones that nobody judged: B+73.5 without them"
    players = tuple(BotConfig(name, "greedy") for name in ("one", "two"))
    game = GameSettings(table.rules.spec)
    tally = MatchupTally(Matchup("m", players, 1, game))
    tally.add(make_row(Fixture("m", 1, "a", "1", players, game), table, verdict))
    assert with_ids("unjudged", len(tally.unjudged), tally.unjudged) == (
        "without them, 1 game has another winner (m/0001a); to have them judged, write dead=judged in the SPEC"
    )


def test_dead_stones_that_do_not_change_the_winner_are_not_reported() -> None:
    # Black wins with and without White's dead stones.
    assert play("go:size=9,dead=none,komi=0", "", "")[1].why == ""
