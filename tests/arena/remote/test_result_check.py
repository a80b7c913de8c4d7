"""Games that other machines say they played: honest ones are kept as they are, all others are refused."""

from dataclasses import replace

import pytest

from gtp_variants.arena.remote.messages import GameReport, decode, encode, read_report, write_report
from gtp_variants.arena.remote.result_check import check_game
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import RecordError
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import to_sgf
from gtp_variants.rules import GAMES
from gtp_variants.rules.game import Game
from tests.arena.remote.lending import fixtures, play


def hand_in(game: FinishedGame) -> GameReport:
    return read_report(decode(encode(write_report(game))))


SPECS = ["aleago:size=4,dice=1d2", "phantom:size=3", "go:size=4", "alter-igo:size=4", "rosette:n=2", "pentalath"]


@pytest.mark.parametrize("spec", SPECS)
def test_an_honest_game_is_kept_as_it_would_be_here(spec: str) -> None:
    fixture = fixtures(spec)[0]
    game = play(fixture)
    found = check_game(fixture, hand_in(game))
    assert found.row == game.row
    assert found.sgf == game.sgf


def test_all_games_are_tried() -> None:
    assert {spec.partition(":")[0] for spec in SPECS} == set(GAMES)


@pytest.fixture(scope="module")
def lent() -> tuple[Fixture, FinishedGame]:
    fixture = fixtures()[0]
    return fixture, play(fixture)


def test_a_game_of_another_fixture_is_refused(lent: tuple[Fixture, FinishedGame]) -> None:
    other = play(fixtures()[1])
    with pytest.raises(RecordError, match="0001a: its dice are those of another game"):
        check_game(lent[0], hand_in(other))
    with pytest.raises(RecordError, match="0001a: a game of go"):
        check_game(lent[0], hand_in(play(fixtures("go:size=4")[0])))


@pytest.mark.parametrize("noise", [b"", b"[]", b"\xff", b"[" * 200_000])
def test_what_is_no_message_is_refused(noise: bytes) -> None:
    with pytest.raises(RecordError, match="a message: "):
        decode(noise)


LIES = {
    "is won by somebody else": (
        {"kind": "forfeit", "failures": (("mine", "time", ""),)},
        "forfeit, but its events say played",
    ),
    "has a failure of nobody": ({"failures": (("nobody", "time", ""),)}, "nobody failed by time"),
    "has a failure of no kind": ({"failures": (("mine", "boredom", ""),)}, "mine failed by boredom"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_game_that_did_not_come_out_so_is_refused(lent: tuple[Fixture, FinishedGame], lie: str) -> None:
    changes, why = LIES[lie]
    with pytest.raises(RecordError, match=why):
        check_game(lent[0], replace(hand_in(lent[1]), **changes))  # type: ignore[arg-type]


def test_a_game_that_is_not_over_or_cannot_have_happened_is_refused(lent: tuple[Fixture, FinishedGame]) -> None:
    fixture, game = lent
    record = game.record
    half = Game.replay(record.game.rules, record.game.events[: len(record.game.events) // 2])
    with pytest.raises(RecordError, match="it is not over"):
        check_game(fixture, replace(hand_in(game), sgf=to_sgf(Record(half, "secret", secret=record.secret))))
    with pytest.raises(RecordError):
        check_game(fixture, replace(hand_in(game), sgf="(;GM[1])"))
    with pytest.raises(RecordError, match="a report of a game"):
        read_report({"sgf": 1})


def test_times_are_never_less_than_nothing(lent: tuple[Fixture, FinishedGame]) -> None:
    found = check_game(lent[0], replace(hand_in(lent[1]), took_s=-1.0, thought_s={"mine": float("nan")}))
    assert (found.row.took_s, found.row.thought_s["mine"]) == (0, 0)
