"""The bridge on OGS: ordinary Go with people, challenges, clocks, undo, removal, cuts, and all that a server may do."""

import asyncio
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from gtp_variants.bridge.core.session import REFUSED
from gtp_variants.records.files import load_record
from tests.support.waiting import until

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.ogs_game import LocalGame
from tests.bridge.fakes.ogs_people import OgsPerson, at_game, ogs_config
from tests.bridge.fakes.ogs_server import OgsServer
from tests.bridge.fakes.running_bridge import PASSWORD, running

PEOPLE = {"botty": PASSWORD, "alpha": "sesame-1", "bravo": "sesame-2"}


async def _play(person: OgsPerson, game: LocalGame, moves: int = 3) -> None:
    """A few stones, then passes until the end."""
    for number in range(60):
        await until(lambda: game.phase != "play" or game.to_play == person.side(game), "my turn")
        if game.phase != "play":
            break
        seen = len(game.moves)
        legal = [point for point in game.game.rules.legal(game.game.position) if point >= 0]
        await person.move(game, game.rules.board.vertex(legal[0]) if legal and number < moves else "pass")
        await until(lambda seen=seen: len(game.moves) != seen)  # type: ignore[misc]
    await until(lambda: game.phase == "finished", "the score")


@pytest.mark.parametrize("phase_first", [True, False])
async def test_an_ordinary_game_is_played_and_scored(tmp_path: Path, phase_first: bool) -> None:
    """In whichever order the last pass and the new phase are told."""
    async with at_game(tmp_path, phase_first=phase_first) as (server, bridge, person, game):
        await _play(person, game)
        await until(lambda: not bridge.session.games, "the result")
        record = load_record(bridge.records()[0])
        assert record.result is not None
        assert record.result[0] == ("B" if game.winner == game.players["black"]["id"] else "W")
        assert server.bot_configs["botty"]["allowed_board_sizes"] == [5]
        assert "apikey" not in str(server.bot_configs["botty"])


@pytest.mark.parametrize("changed", [{}, {"handicap": 2, "rules": "aga"}])
async def test_a_rectangle_is_played_in_go(tmp_path: Path, changed: dict[str, Any]) -> None:
    more = "challenges: {sizes: [5, 7], handicap: [0, 2]}\n"
    # The bot is Black, and places handicap stones of its own choice.
    terms = {"height": 5, **changed}
    async with at_game(tmp_path, more, colour="white", size=7, terms=terms) as (_, bridge, person, game):
        await _play(person, game)
        await until(lambda: not bridge.session.games, "the result")
        record = load_record(bridge.records()[0])
        assert (record.game.rules.values["width"], record.game.rules.values["height"]) == (7, 5)
        assert record.game.position.stones == game.game.position.stones
        assert (record.result or "")[0] == ("B" if game.winner == game.players["black"]["id"] else "W")


@pytest.mark.parametrize("colour", ["black", "white"])
@pytest.mark.parametrize("first", ["black", "white"])
async def test_a_game_from_a_position_with_stones_of_both_colours_is_played(
    tmp_path: Path, colour: str, first: str
) -> None:
    terms = {"initial_state": {"black": "aabb", "white": "cceebd", "first": first}}
    async with at_game(tmp_path, colour=colour, terms=terms) as (_, bridge, person, game):
        await _play(person, game)
        await until(lambda: not bridge.session.games, "the result")
        (file,) = bridge.records()
        record = load_record(file)
        assert record.game.position.stones == game.game.position.stones
        assert (record.result or "")[0] == ("B" if game.winner == game.players["black"]["id"] else "W")


async def _is_refused(server: OgsServer, person: OgsPerson, size: int, **changed: Any) -> tuple[str, str]:
    """The code and the words with which a challenge is refused."""
    count = len([each for each in person.got("notification") if each["type"] == "gameOfferRejected"])

    def refusals() -> list[Any]:
        return [each for each in person.got("notification") if each["type"] == "gameOfferRejected"]

    await until(lambda: "botty" in server.bot_configs)
    await person.challenge("botty", size, **changed)
    await until(lambda: len(refusals()) > count, "a refusal")
    told = refusals()[count]
    return (told["rejection_details"] or {}).get("rejection_code", ""), told["message"]


def _time(**fields: Any) -> dict[str, Any]:
    return {"system": "fischer", "speed": "live", "initial_time": 120, "time_increment": 30, "max_time": 300, **fields}


async def test_refusals_carry_the_codes_that_pages_translate(tmp_path: Path) -> None:
    more = "challenges: {sizes: [5, 9], period: [5s, 1m], rated: true, ranks: [20k, 5d], block: [bravo]}\n"
    async with OgsServer(PEOPLE) as server, running(ogs_config(server, tmp_path, more)) as bridge:
        person, other = await OgsPerson(server, "alpha").come(), await OgsPerson(server, "bravo").come()
        for changed, code in (
            ({"size": 7}, "board_size_not_allowed"),
            ({"size": 5, "height": 7}, "board_size_not_allowed"),
            ({"size": 5, "handicap": 3}, "handicap_not_allowed"),
            ({"size": 5, "handicap": -1}, "handicap_not_allowed"),
            ({"size": 5, "komi_auto": "custom", "komi": 50.5}, "komi_out_of_range"),
            ({"size": 5, "time": _time(speed="blitz")}, "blitz_not_allowed"),
            ({"size": 5, "time": _time(time_increment=600, max_time=900)}, "time_increment_out_of_range"),
            ({"size": 5, "time": _time(initial_time=10**6, max_time=10**6)}, "main_time_out_of_range"),
            ({"size": 5, "time": {"system": "simple", "speed": "live", "per_move": 300}}, "per_move_time_out_of_range"),
            ({"size": 5, "rules": "ing"}, ""),
        ):
            size = int(str(changed.pop("size")))
            assert (await _is_refused(server, person, size, **changed))[0] == code, changed
        server.users["alpha"] = {"ranking": 3.5, "country": "fr"}
        assert "pas en taille 7" in (await _is_refused(server, person, 7))[1]
        assert (await _is_refused(server, person, 5, ranked=True))[0] == "player_rank_out_of_range"
        assert (await _is_refused(server, other, 5))[0] == "blacklisted"
        unreadable = {"komi_auto": "custom", "komi": "many"}
        assert "cannot read the terms" in (await _is_refused(server, person, 5, **unreadable))[1]
        assert server.bot_configs["botty"]["allowed_rank_range"] == ["20k", "5d"]
        assert server.bot_configs["botty"]["allowed_blitz_settings"] is None
        assert not server.games
        await bridge.end()
        assert "unexpected" not in bridge.written()
        await person.go()
        await other.go()
    assert server.faults == []


async def test_several_games_at_a_time_and_no_more_than_allowed(tmp_path: Path) -> None:
    more = "challenges: {speeds: {live: {games: 2}}}\n"
    people = PEOPLE | {"carol": "sesame-3"}
    async with OgsServer(people) as server, running(ogs_config(server, tmp_path, more)) as bridge:
        persons = [await OgsPerson(server, name).come() for name in ("alpha", "bravo", "carol")]
        await until(lambda: "botty" in server.bot_configs)
        # All at the same moment: what is accepted counts before the next is judged.
        await asyncio.gather(*(person.challenge("botty", 5, colour="black") for person in persons))
        await until(lambda: len(server.games) == 2 and not server.challenges, "two games and a refusal")

        def refused() -> list[Any]:
            return [each for person in persons for each in person.got("notification") if "Rejected" in each["type"]]

        await until(refused, "the refusal")
        assert [each["rejection_details"]["rejection_code"] for each in refused()] == ["too_many_live_games"]
        await until(lambda: server.bot_statuses["botty"]["ongoing_live_count"] == 2)
        games = list(server.games.values())
        playing = [person for game in games for person in persons if person.side(game)]
        assert (await _is_refused(server, playing[0], 5))[0] == "too_many_live_games"
        correspondence = {"system": "none", "speed": "correspondence"}
        assert (await _is_refused(server, playing[0], 5, time=correspondence))[0] == "too_many_games_for_player"
        for person, game in zip(playing, games, strict=True):
            await person.move(game, "C3")
        await until(lambda: all(len(game.moves) >= 2 for game in games), "answers in both")
        server.cut("botty")
        for person, game in zip(playing, games, strict=True):
            await person.move(game, "A1" if "A1" not in game.vertices else "E5")
        await until(lambda: all(len(game.moves) >= 4 for game in games), "answers in both after a cut")
        for person, game in zip(playing, games, strict=True):
            await person.in_game("game/resign", game)
        await until(lambda: bridge.session.counters.results["won"] == 2)
        for person in persons:
            await person.go()
    assert server.faults == []


@pytest.mark.parametrize(
    "time",
    [
        _time(),
        {"system": "canadian", "speed": "live", "main_time": 60, "period_time": 120, "stones_per_period": 10},
        {"system": "simple", "speed": "live", "per_move": 60},
        {"system": "absolute", "speed": "live", "total_time": 900},
        {"system": "byoyomi", "speed": "live", "main_time": 0, "period_time": 30, "periods": 3},
        {"system": "none", "speed": "correspondence"},
    ],
    ids=lambda time: time["system"],
)
async def test_clocks_of_every_kind_are_shown_to_the_engine(tmp_path: Path, time: dict[str, Any]) -> None:
    """Whatever the difference between the server's clock and ours."""
    async with at_game(tmp_path, terms={"time": time}, drift_ms=3_600_000.0) as (_, bridge, person, game):
        for number, vertex in enumerate(("C3", "A1")):
            await person.move(game, vertex if vertex not in game.vertices else "E5")
            await until(lambda number=number: len(game.moves) == 2 * number + 2, "an answer")  # type: ignore[misc]

        def clocks_agree() -> bool:
            clocks = next(iter(bridge.session.games.values())).state.clocks
            return all(
                clocks[colour].left_s == pytest.approx(game.clock.left[side].left_s, abs=15)
                for colour, side in ((1, "black"), (2, "white"))
            )

        if time["system"] != "none":
            # The server has its clock before the bridge hears of it.
            await until(clocks_agree, "the clocks of the last move")
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)


async def test_the_opponent_takes_moves_back_as_often_as_allowed(tmp_path: Path) -> None:
    async with at_game(tmp_path, "policies: {undo: 2}\n") as (_, bridge, person, game):
        for count in range(3):
            await until(lambda: game.to_play == "black")
            before = len(game.moves)
            await person.move(game, "C3" if "C3" not in game.vertices else "B2")
            await until(lambda before=before: len(game.moves) == before + 2, "an answer")  # type: ignore[misc]
            await person.ask_undo(game)
            if count < 2:
                await until(lambda before=before: len(game.moves) == before, "the undo")  # type: ignore[misc]
        await person.gets("undo_canceled")
        await person.hears("I allow no more undos in this game \\(limit: 2\\)")
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)


async def test_echoes_that_get_lost_and_data_that_come_twice(tmp_path: Path) -> None:
    with patch("gtp_variants.bridge.ogs.game._ECHO_S", 0.1):
        async with at_game(tmp_path, repeats_data=True) as (server, bridge, person, game):
            await person.move(game, "C3")
            await until(lambda: len(game.moves) == 2, "an answer")
            server.habits.lost_echoes = 2
            await person.move(game, "A1" if "A1" not in game.vertices else "E5")
            await until(lambda: len(game.moves) == 4, "an answer to what was not told")
            server.habits.lost_echoes = 0
            await person.in_game("game/resign", game)
            await until(lambda: not bridge.session.games)
            assert game.winner == server.ids["botty"]


class _FirstAnswer(set[str]):
    """The first vertex that is asked about, but for one."""

    def __init__(self, free: str) -> None:
        super().__init__()
        self._free = free

    def __contains__(self, vertex: object) -> bool:
        if not self and vertex != self._free:
            self.add(str(vertex))
        return super().__contains__(vertex)


async def test_a_move_that_the_server_refuses_is_replaced(tmp_path: Path) -> None:
    refused = _FirstAnswer("C3")
    async with at_game(tmp_path, refuses=refused) as (_, bridge, person, game):
        await person.move(game, "C3")
        await until(lambda: len(game.moves) == 2, "an answer")
        assert len(refused) == 1
        assert game.vertices[1] not in refused
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)
        assert "refused a move" in bridge.written()


async def test_the_bot_passes_if_every_move_is_refused(tmp_path: Path) -> None:
    board = {f"{column}{row}" for column in "ABCDE" for row in range(1, 6)}
    async with at_game(tmp_path, refuses=board - {"C3"}) as (_, bridge, person, game):
        await person.move(game, "C3")
        await until(lambda: len(game.moves) == 2, "an answer")
        assert game.vertices[1] == "pass"
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)
        assert "refused a move" in bridge.written()


@pytest.mark.parametrize(
    ("rules", "size", "colour"), [("chinese", 9, "black"), ("japanese", 9, "black"), ("chinese", 9, "white")]
)
async def test_handicap_stones_free_and_fixed(tmp_path: Path, rules: str, size: int, colour: str) -> None:
    """Where Black is the bot and may choose, it puts them on the usual points."""
    more = "challenges: {handicap: [0, 4]}\n"
    terms = {"handicap": 3, "rules": rules}
    async with at_game(tmp_path, more, game="go:size=9", size=size, colour=colour, terms=terms) as (
        _,
        bridge,
        person,
        game,
    ):
        if colour == "black" and rules == "chinese":
            for vertex in ("C3", "G7", "C7"):
                await person.move(game, vertex)
        free = 3 if rules == "chinese" else 0
        await until(lambda: len(game.moves) == free + (colour == "black"), "White's first move or the stones")
        await until(lambda: game.to_play == colour or colour == "white")
        if colour == "white":
            assert {vertex[0] for vertex in game.vertices} <= {"C", "G"}
            await person.move(game, "E5")
            await until(lambda: len(game.moves) == 5, "an answer")
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)
        assert "dispute" not in bridge.written()


async def test_a_long_pause_is_ended_by_the_bot(tmp_path: Path) -> None:
    async with at_game(tmp_path, "policies: {pause: 300ms}\n") as (_, bridge, person, game):
        await person.in_game("game/pause", game)
        await until(lambda: "Black stops the clocks." in game.seen)
        await until(lambda: "White lets the clocks go on." in game.seen, "the end of the pause")
        await person.hears("have been stopped")
        await person.in_game("game/resign", game)
        await until(lambda: not bridge.session.games)


async def test_a_game_that_ended_meanwhile_is_closed_with_its_result(tmp_path: Path) -> None:
    async with at_game(tmp_path) as (server, bridge, person, game):
        await person.move(game, "C3")
        await until(lambda: len(game.moves) == 2)
        server.is_stalled = True
        server.cut("botty")
        game.resign(server.ids["alpha"])
        server.is_stalled = False
        await until(lambda: not bridge.session.games, "the result")
        assert load_record(bridge.records()[0]).result == "W+R"


async def _pass_and_accept(person: OgsPerson, game: LocalGame) -> None:
    """Pass until both did, and accept what the server marks."""
    for _ in range(60):
        await until(lambda: game.phase != "play" or game.to_play == "black")
        if game.phase != "play":
            break
        seen = len(game.moves)
        await person.move(game, "pass")
        await until(lambda seen=seen: len(game.moves) > seen)  # type: ignore[misc]
    await person.in_game("game/removed_stones/accept", game, stones=game.removed, strict_seki_mode=False)


async def test_where_the_server_waits_for_us_its_marks_are_accepted(tmp_path: Path) -> None:
    with patch("gtp_variants.bridge.ogs.game._SCORE_S", 0.1):
        async with at_game(tmp_path, score_s=None, dead={"A1"}) as (_, bridge, person, game):
            await _pass_and_accept(person, game)
            await until(lambda: game.phase == "finished", "the score")
            await until(lambda: not bridge.session.games)


@pytest.mark.parametrize("phase_first", [True, False])
async def test_the_pass_that_ends_a_game_is_known_whenever_the_end_is_told(tmp_path: Path, phase_first: bool) -> None:
    # Nothing is asked for again.
    with patch("gtp_variants.bridge.ogs.game._ECHO_S", 3600.0):
        async with at_game(tmp_path, score_s=None, phase_first=phase_first) as (_, bridge, person, game):
            await _pass_and_accept(person, game)
            (ours,) = bridge.session.games.values()
            await until(lambda: len(ours.state.moves) == len(game.moves), "the last pass")
            assert [vertex for _, vertex in ours.state.moves] == game.vertices
            await person.in_game("game/resign", game)
            await until(lambda: not bridge.session.games)


async def test_moves_made_during_an_outage_are_in_the_record(tmp_path: Path) -> None:
    async with OgsServer({"botty": PASSWORD, "alpha": "sesame-1"}) as server:
        person = await OgsPerson(server, "alpha").come()
        config = ogs_config(server, tmp_path)
        async with running(config) as killed:
            game = await person.begin("botty", 5, colour="black")
            await person.move(game, "C3")
            await until(lambda: len(game.moves) == 2, "an answer")
            await until(lambda: len(killed.records()) == 1 and "B[" in killed.records()[0].read_text(), "the record")
            await killed.end()
        free = [point for point in game.game.rules.legal(game.game.position) if point >= 0]
        await person.move(game, game.rules.board.vertex(free[0]))
        await until(lambda: len(game.moves) == 3)
        game.resign(server.ids["botty"])
        async with running(config) as bridge:
            await until(lambda: bridge.session.counters.results.total(), "the end")
            (path,) = bridge.records()
            record = load_record(path)
            assert record.result == "B+R"
            board = record.game.rules.board
            stones = [board.vertex(event.action) for event in record.game.events if event.action >= 0]
            assert stones == game.vertices
            await until(lambda: not list((tmp_path / "out" / "games").glob("*.json")), "nothing is stored any more")
        await person.go()
    assert server.faults == []


async def test_new_lines_do_not_restart_the_wait_for_a_score(tmp_path: Path) -> None:
    """A line that is cut more often than the wait is long once left a game unscored for ever."""
    with patch("gtp_variants.bridge.ogs.game._SCORE_S", 3600.0):
        async with at_game(tmp_path, score_s=None) as (server, bridge, person, game):
            await _pass_and_accept(person, game)
            game.clock.last_move -= 3_600_000
            server.cut("botty")
            await until(lambda: game.phase == "finished", "the score")
            await until(lambda: not bridge.session.games)


@pytest.mark.parametrize(
    ("server", "key"), [({"botty": "another"}, "does not know"), ({"botty": "x", "chloe": PASSWORD}, "does not know")]
)
async def test_a_refused_key_ends_the_bridge(tmp_path: Path, server: dict[str, str], key: str) -> None:
    async with OgsServer(server) as there, running(ogs_config(there, tmp_path)) as bridge:
        assert await bridge.status() == REFUSED
        assert key in bridge.written()
        assert PASSWORD not in bridge.written()
