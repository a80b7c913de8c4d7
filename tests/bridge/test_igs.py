"""The bridge on IGS: an undo that must be asked for, three passes, marks that can be cleared, its own last words."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gtp_variants.bridge.nngs import _LINES, result_of
from gtp_variants.records.files import load_record
from tests.bridge.fakes.igs_server import IgsServer
from tests.bridge.fakes.running_bridge import (
    ACCOUNTS,
    ALEAGO,
    Person,
    Running,
    at_match,
    check_record,
    config_of,
    running,
)
from tests.support.waiting import until


@asynccontextmanager
async def game(
    folder: Path, more: str = "", *, spec: str = ALEAGO, toggles: tuple[str, ...] = ("newundo", "nmatch")
) -> AsyncIterator[tuple[IgsServer, Running, Person]]:
    """A bridge at a game with a person who has Black."""
    server = IgsServer(ACCOUNTS)
    async with at_match(folder, more, game=spec, server=server, kind="igs", toggles=toggles) as (_, bridge, person, _):
        yield server, bridge, person


async def wrong_stone(person: Person) -> None:
    """Play off the line that was said."""
    await person.play_wrong(person.play)
    await person.hears("Please undo this move and play here")


async def moves_come(server: IgsServer, count: int) -> None:
    await until(lambda: server.match is not None and len(server.match.moves) == count, f"{count} moves")


async def test_the_person_takes_a_wrong_stone_back_when_asked_to(tmp_path: Path) -> None:
    async with game(tmp_path, "policies: {undo_wait: 1h}\n") as (server, bridge, person):
        await wrong_stone(person)
        person.type("undoplease")
        await person.hears("28 botty undid the last move")
        await moves_come(server, 0)
        await person.play_on(1)
        await moves_come(server, 2)
        assert len(set(person.heard("Move 1, you"))) == 1
        # A stone that was wrong is not one of those that may be taken back.
        assert next(iter(bridge.session.games.values())).stored.takebacks == 0


async def test_a_person_who_does_nothing_is_asked_and_grants_it(tmp_path: Path, endless_request: None) -> None:
    async with game(tmp_path, "policies: {undo_wait: 100ms}\n") as (server, bridge, person):
        await person.play_on(1)
        await moves_come(server, 2)
        assert server.match is not None
        first = list(server.match.moves)
        drawn = await person.hears(r"Move 3, you: dice \d -> ")
        board = [f"{column}{row}" for column in "abcde" for row in range(1, 6)]
        taken = [move.lower() for move in first]
        opened = re.findall(r"\b[A-E][1-5]\b", drawn)
        person.type(next(v for v in board if v not in taken and v.upper() not in opened))
        await person.hears(r"24 \*SYSTEM\*: botty requests undo\.")
        # What the bot asks for goes back to before its own move, which it makes again under the same dice.
        person.type("undo")
        await until(lambda: len(person.heard("Move 3, you")) == 2, "the draw again")
        assert len(set(person.heard("Move 3, you"))) == 1
        await moves_come(server, 2)
        assert server.match.moves[0] == first[0]
        assert len(set(person.heard("Move 2, me"))) == 1
        await person.play_on(2)
        person.type("resign")
        await until(lambda: not bridge.session.games and bool(server.finished))
        record = check_record(bridge.records()[0])
        assert record.told == frozenset()
        assert record.result == "W+R"


@pytest.mark.parametrize(
    ("answer", "toggles"),
    [
        pytest.param("noundo", ("newundo",), id="declined"),
        pytest.param("", ("newundo",), id="never answered"),
        pytest.param("", (), id="not supported"),
    ],
)
async def test_a_stone_that_is_not_taken_back_stands(
    tmp_path: Path, request: pytest.FixtureRequest, answer: str, toggles: tuple[str, ...]
) -> None:
    if answer or not toggles:
        # Only the refusal, of the person or of the server, lets the stone stay.
        request.getfixturevalue("endless_request")
    async with game(tmp_path, "policies: {undo_wait: 100ms}\n", toggles=toggles) as (server, bridge, person):
        await wrong_stone(person)
        if toggles:
            await person.hears("botty requests undo")
        if answer:
            person.type(answer)
            await person.hears("alpha declines undo")
        await person.hears("This time I let the stone stay")
        await moves_come(server, 2)
        await person.play_on(1)
        person.type("resign")
        await until(lambda: not bridge.session.games and bool(server.finished))
        assert check_record(bridge.records()[0]).told == frozenset({1})


async def test_a_stone_that_is_not_taken_back_ends_the_game_where_the_policy_says_so(tmp_path: Path) -> None:
    more = "policies: {undo_wait: 100ms, illegal: resign}\n"
    async with game(tmp_path, more) as (server, bridge, person):
        await wrong_stone(person)
        await person.hears("I cannot continue this game")
        await until(lambda: not bridge.session.games and bool(server.finished))
        assert server.finished[0].result == "White resigns."
        assert load_record(bridge.records()[0]).result == "B+R"


async def test_on_a_new_line_the_dispute_starts_again(tmp_path: Path) -> None:
    async with game(tmp_path, "policies: {undo_wait: 1h}\n") as (server, bridge, person):
        await wrong_stone(person)
        server.cut(server.online["botty"])
        await until(lambda: bridge.session.counters.lost_lines == 1)
        await until(lambda: server.match is not None, "the game again")
        # The person is asked again, and the server not at all meanwhile.
        await until(lambda: len(person.heard("Please undo this move")) == 2, "the dispute again")
        person.type("undoplease")
        await moves_come(server, 0)
        await person.play_on(1)
        await moves_come(server, 2)
        assert not person.heard("requests undo")
        assert bridge.session.counters.lost_lines == 1


async def test_moves_may_be_taken_back_as_often_as_the_file_says(tmp_path: Path) -> None:
    async with game(tmp_path, "policies: {undo: 1}\n") as (server, _, person):
        await person.play_on(1)
        await moves_come(server, 2)
        person.type("undoplease")
        # Up to the last move of whoever asks: the bot's answer and the move before it.
        await moves_come(server, 0)
        drawn = await person.hears("Move 1, you", after=1)
        person.type(re.findall(r"\b[A-E][1-5]\b", drawn)[0])
        await moves_come(server, 2)
        person.type("undoplease")
        await person.hears("botty declines undo")
        await person.hears("I allow no more undos in this game \\(limit: 1\\)")


@pytest.mark.parametrize("stones", [1, 3])
async def test_three_passes_end_a_game_and_living_stones_are_not_given_up(tmp_path: Path, stones: int) -> None:
    async with game(tmp_path, spec="go:size=5") as (server, bridge, person):
        match = server.match
        assert match is not None
        while not match.is_scoring:
            await person.play_first(match, len(match.moves) < 2 * stones)
            await until(lambda: match.to_play == 1 or match.is_scoring, "its move")
        assert match.moves[-3:] == ["Pass"] * 3
        theirs = next(point for point, stone in enumerate(match.game.position.stones) if stone == 2)
        await until(lambda: "botty" in match.done)
        person.type(match.game.rules.board.vertex(theirs).lower())
        await person.hears("is alive. I clear the marks")
        await person.hears("Board is restored")
        await until(lambda: "botty" in match.done and not match.dead, "its word again")
        person.type("done")
        await until(lambda: not bridge.session.games and bool(server.finished))
        record = load_record(bridge.records()[0])
        white, black = map(float, re.findall(r"[\d.]+", server.finished[0].result))
        assert record.result == f"{'B' if black > white else 'W'}+{abs(black - white):g}"


async def test_an_offer_of_the_newer_kind_is_taken(tmp_path: Path) -> None:
    more = "challenges: {main: [5m, 30m]}\n"
    async with (
        IgsServer(ACCOUNTS) as server,
        running(config_of("igs", server.port, tmp_path, more, game="go:size=5")) as bridge,
    ):
        person = await Person(server, "alpha").come()
        person.type("toggle nmatch on")
        await until(lambda: ("botty", "nmatch") in server.toggles)
        person.type("nmatch botty B 0 5 60 0 0 0 0 0")
        await person.hears("I need a main time of 5 to 30 minutes, not 1")
        person.type("nmatch botty B 0 5 600 0 1 5 30 0")
        await until(lambda: server.match is not None, "the match")
        person.type("c3")
        await moves_come(server, 2)
        await until(lambda: bridge.session.counters.moves == 2, "both moves")
        await person.go()


async def test_dropping_our_own_older_login_does_not_count_as_another_login(tmp_path: Path) -> None:
    async with IgsServer(ACCOUNTS) as server:
        old = await Person(server, "botty").come()
        async with running(config_of("igs", server.port, tmp_path, game="go:size=5")) as bridge:
            await until(lambda: bridge.session.counters.logins == 1)
            await until(lambda: ("botty", "newundo") in server.toggles)
            assert bridge.session.counters.lost_lines == 0
        await old.go()


async def test_an_unknown_account_does_not_log_in_as_a_guest(tmp_path: Path) -> None:
    async with IgsServer({"alpha": "sesame"}) as server:
        bridge = Running(config_of("igs", server.port, tmp_path, game="go:size=5"))
        assert await bridge.status() == 3


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("White resigns. W 6.5 B 80.0", "B+73.5"),
        ("W 62.5 B 93.0", "B+30.5"),
        ("W 40.0 B 40.0", "0"),
        ("Black resigns.", "W+R"),
        ("White forfeits on time.", "B+T"),
        ("Black lost by Resign", "W+R"),
        ("White lost by Time", "B+T"),
        ("White lost by 1.0", "B+1"),
        ("has adjourned.", ""),
    ],
)
def test_results_as_servers_word_them(line: str, result: str) -> None:
    assert result_of(line) == result


def test_a_game_of_strong_players_and_one_that_is_left_without_a_colon() -> None:
    found = _LINES["ended"].search("{Game 124: Redmond* vs NaiWei* : Black lost by Resign}")
    assert found is not None
    assert found.groups() == ("124", "Redmond", "NaiWei", "Black lost by Resign")
    found = _LINES["ended"].search("{Game 155: alpha vs bravo has adjourned.}")
    assert found is not None
    assert found.groups() == ("155", "alpha", "bravo", "has adjourned.")
