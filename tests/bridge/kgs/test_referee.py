"""The dice referee on KGS: two people play, it throws, says each draw, and says what is wrong."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import ACCEPT, REROLL
from gtp_variants.bridge.core.game_sync import ReplayedGame
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.rules import parse
from tests.bridge.fakes.running_bridge import ALEAGO, Running, check_record
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_people import ROOM, KgsPerson, in_room
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.kgs_table import Table


class Two:
    """Two people at one board, and a spectator."""

    def __init__(self, server: KgsServer, black: KgsPerson, white: KgsPerson, fan: KgsPerson) -> None:
        self.server, self.black, self.white, self.fan = server, black, white, fan

    async def sit_down(self, size: int = 5) -> Table:
        """Black opens a challenge, White takes it."""
        for person in (self.black, self.white):
            # What was said in another game is not about this one.
            person.messages = [message for message in person.messages if message["type"] != "CHAT"]
        seats = [{"role": "black", "name": self.black.name}, {"role": "white"}]
        rules = {"size": size, "rules": "chinese", "komi": 6.5, "timeSystem": "none"}
        proposal = {"gameType": "free", "nigiri": False, "rules": rules, "players": seats}
        await self.black.post(
            "CHALLENGE_CREATE", channelId=ROOM, callbackKey=7, text="come", proposal=proposal, **{"global": True}
        )
        count = len(self.black.got("GAME_JOIN"))
        task = asyncio.create_task(self.white.begin(self.black.name))
        submitted = await self.black.gets("CHALLENGE_SUBMIT", len(self.black.got("CHALLENGE_SUBMIT")))
        agreed = {**proposal, "players": [seats[0], {"role": "white", "name": self.white.name}]}
        await self.black.post("CHALLENGE_PROPOSAL", channelId=submitted["channelId"], **agreed)
        table = await task
        await self.black.gets("GAME_JOIN", count)
        return table

    def whose(self, table: Table) -> KgsPerson:
        return self.black if table.to_play == "black" else self.white

    async def draw(self, table: Table) -> set[str]:
        """Return the points announced as open to the side to move."""
        turn = len(table.moves) + 1
        said = await self.whose(table).hears(rf"^(Move|Coup) {turn}, (you|vous)\b", self._last_states(table, turn))
        return set(re.findall(r"\b[A-E][1-5]\b", said)) or {"pass"}

    def _last_states(self, table: Table, turn: int) -> int:
        """How often that draw was said before the last time."""
        return max(0, len(self.whose(table).heard(rf"^(Move|Coup) {turn}, (you|vous)\b")) - 1)

    async def move(self, table: Table, *, wrong: bool = False) -> str:
        """The side to move plays where it may, or where it may not."""
        opened = await self.draw(table)
        position, board = table.game.position, table.game.rules.board
        legal = [board.vertex(p) for p in table.game.rules.legal(position) if p >= 0]
        vertex = next(v for v in legal if (v in opened) != wrong)
        seen = len(table.moves)
        assert await self.whose(table).move(vertex) == 200
        await until(lambda: len(table.moves) == seen + 1, vertex)
        return vertex

    async def take_back(self, table: Table) -> None:
        """Take back the last move: its player asks and the other agrees."""
        asker, other = (self.white, self.black) if table.to_play == "black" else (self.black, self.white)
        seen, asked = len(table.moves), len(other.got("GAME_UNDO_REQUEST"))
        await asker.in_game("GAME_UNDO_REQUEST")
        await other.gets("GAME_UNDO_REQUEST", asked)
        await other.in_game("GAME_UNDO_ACCEPT")
        await until(lambda: len(table.moves) == seen - 1, "the undo")

    async def go(self) -> None:
        for person in (self.black, self.white, self.fan):
            await person.go()


@asynccontextmanager
async def two(folder: Path, more: str = "", game: str = ALEAGO) -> AsyncIterator[tuple[Running, Two]]:
    async with in_room(folder, "referee", more, game=game) as (server, bridge, people):
        both = Two(server, *people)
        yield bridge, both
        await both.go()


async def ask(person: KgsPerson, text: str = "!referee") -> None:
    """Say something in the room."""
    await person.post("CHAT", channelId=ROOM, text=text)


async def tell(person: KgsPerson, text: str) -> None:
    """Say something to the referee in private."""
    count = len(person.got("CONVO_JOIN"))
    await person.post("CONVO_REQUEST", callbackKey=9, name="judge")
    joined = await person.gets("CONVO_JOIN", count)
    await person.post("CHAT", channelId=joined["channelId"], text=text)


async def ended(bridge: Running, table: Table, result: str | None = None) -> None:
    await until(lambda: table.over and not bridge.session.games, "the end")
    record = check_record(bridge.records()[-1])
    if result is not None:
        assert record.result == result


@pytest.mark.slow
async def test_a_whole_game_is_refereed_from_the_commitment_to_the_secret(tmp_path: Path) -> None:
    async with two(tmp_path) as (bridge, people):
        await ask(people.black)
        await people.black.hears("I will join your game and throw the dice")
        table = await people.sit_down()
        await people.fan.post("JOIN_REQUEST", channelId=table.channel)
        for person in (people.black, people.white):
            await person.hears("I am the referee of this game")
            await person.hears("Two passes do not end the game")
            await person.hears("sha256 [0-9a-f]{64}")
        for _ in range(9):
            await people.move(table)
        # Each hears of themselves and of the other by name; who looks on, of both.
        await people.black.hears(r"^Move 2, White \(bravo\): dice")
        await people.white.hears(r"^Move 2, you: dice")
        await people.fan.hears(r"^Move 10, White \(bravo\): dice")
        # In the game itself the players are told nothing: they would not hear it.
        assert not any(m["channelId"] == table.channel for m in people.black.got("CHAT"))
        await people.white.in_game("GAME_RESIGN")
        secret = await people.black.hears("secret of the dice was [0-9a-f]{64}")
        await ended(bridge, table, "B+R")
        assert secret == await people.white.hears("secret of the dice was")
        assert load_record(bridge.records()[0]).told == frozenset()
        assert not [who for who, message in people.server.heard if who == "judge" and "MOVE" in message["type"]]


async def test_a_wrong_stone_is_called_so_in_both_languages_until_it_is_undone(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        table = await people.sit_down()
        await people.move(table)
        await tell(people.white, "!aide")
        await people.white.hears("!dés répète le dernier lancer")
        wrong = await people.move(table, wrong=True)
        place = rf"{wrong} is on line \d, the draw opens line \d"
        await people.black.hears(
            rf"^White \(bravo\): {place}\. Please undo this move; the other player, please accept the undo"
        )
        await people.white.hears(rf"^Blanc \(bravo\)\u00a0: {wrong} est sur la ligne \d, le tirage ouvre la ligne \d\.")
        await people.take_back(table)
        await people.white.hears(r"^Coup 2, vous\u00a0: dés", 0)
        first = people.white.heard(r"^(Move|Coup) 2, (you|vous)")
        await people.move(table)
        assert {re.search(r"\d+ -> \D*(\d)", line)[1] for line in first if "->" in line}  # type: ignore[index]
        await people.move(table)
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")
        record = load_record(bridge.records()[0])
        assert record.told == frozenset()
        assert wrong not in [table.moves[1]]


async def test_continuing_after_a_wrong_stone_accepts_it(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        table = await people.sit_down()
        wrong = await people.move(table, wrong=True)
        await people.white.hears("Please undo this move")
        # The other side has no draw yet, and plays all the same.
        point = next(p for p in table.game.rules.legal(table.game.position) if p >= 0)
        await people.white.move(table.game.rules.board.vertex(point))
        await people.white.hears(f"{wrong} was off the open line, but both of you have played on")
        await until(lambda: bool(people.black.heard("^(Move 3, you|White .*Please undo)")), "what follows")
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")
        assert 1 in load_record(bridge.records()[0]).told


@pytest.mark.slow
async def test_both_agree_on_options_before_the_first_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)
    async with two(tmp_path, "watch: room\ntime: {first: 10m}\n") as (bridge, people):
        black, white = people.black, people.white
        table = await people.sit_down()
        await tell(white, "!aide")
        await tell(black, "!options")
        await black.hears(
            "^Our options are dice 1d3, crystal ball off, without dice: nobody. You can change them until I show"
        )
        # One person's wish asks the other, in their language.
        await tell(black, "!crystal on")
        await white.hears("alpha voudrait dés 1d3, boule de cristal oui, sans dés\u00a0: personne. Pour accepter")
        await white.say("!dés 99d99")
        await white.hears("^Je ne peux pas choisir ce réglage\u00a0: 99d99")
        await tell(white, "!handicap noir")
        await black.hears("bravo would like dice 1d3, crystal ball off, without dice: Black")
        assert not black.heard("^Agreed")
        await tell(white, "!boule oui")
        await white.hears("^D'accord. Nous jouons avec dés 1d3, boule de cristal oui, sans dés\u00a0: personne")
        await black.hears("^Agreed. We play with dice 1d3, crystal ball on, without dice: nobody")
        await tell(black, "!yes")
        await black.hears("^Our options are dice 1d3, crystal ball on")
        await tell(white, "!handicap black")
        await black.hears("bravo would like dice 1d3, crystal ball on, without dice: Black")
        await tell(black, "!yes")
        await black.hears("^Agreed. We play with dice 1d3, crystal ball on, without dice: Black")
        # Who looks on has no say.
        await people.fan.post("JOIN_REQUEST", channelId=table.channel)
        await tell(people.fan, "!dice 2d2")
        people.server.cut("judge")
        await until(lambda: bridge.session.counters.logins == 2)
        await until(lambda: "judge" in table.users)
        await tell(black, "!options")
        await black.hears("^Our options are dice 1d3, crystal ball on, without dice: Black")
        await tell(black, "!dice")
        await black.hears("^Move 1, you: no dice, every line is open")
        for person, text in ((black, "!dice 2d2"), (white, "!handicap none")):
            await tell(person, text)
        await white.hears("déjà montré le premier lancer")
        await black.move("C3")
        await white.hears("^Coup 2, vous\u00a0: dés")
        for person, text in ((black, "!dice 2d2"), (white, "!crystal off"), (black, "!yes")):
            await tell(person, text)
        await black.hears("I have already shown the first throw", 2)
        await black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")
        values = load_record(bridge.records()[0]).game.rules.values
        assert (values["crystal_ball"], values["free_player"]) == (True, "b")


async def test_both_may_agree_on_a_single_die_after_the_first_draw(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n", game="aleago:size=5,dice=2d2") as (bridge, people):
        black, white = people.black, people.white
        table = await people.sit_down()
        await people.move(table)
        await tell(black, "!yes")
        await tell(black, "!dice 2d4")
        await black.hears("I have already shown the first throw", 1)
        await tell(black, "!dice 1d2")
        await white.hears("alpha proposes: from the next throw that nobody has seen, we throw only 1d2")
        assert not black.heard("^Agreed")
        await tell(white, "!yes")
        await black.hears("^Agreed: from the next throw that nobody has seen, we throw only 1d2")
        for _ in range(3):
            await people.move(table)
        await people.whose(table).in_game("GAME_RESIGN")
        await ended(bridge, table)
        events = write_game(load_record(bridge.records()[0]).game)
        # The second draw had been shown too when they agreed.
        assert [len(faces.split()) for actor, faces in events if actor == "chance"][:4] == [2, 2, 1, 1]
        assert events.count(("b", "set_dice 1d2")) == 1


@pytest.mark.slow
async def test_two_people_agree_on_a_match_which_the_referee_explains(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        black, white = people.black, people.white
        table = await people.sit_down()
        await tell(white, "!aide")
        await white.hears("Avant le premier coup !rencontre propose deux parties.*accepte avec !oui")
        await tell(black, "!match moves")
        await white.hears("^alpha propose\u00a0: c'est la première partie de 2")
        assert not black.heard("^Agreed")
        await tell(white, "!oui")
        await black.hears("^Agreed: this is the first game of 2 with swapped colours")
        await black.in_game("GAME_RESIGN")
        await white.hears("C'était la première de deux parties")
        await ended(bridge, table, "W+R")
        assert ("b", "match 1/2 black_moves") in write_game(load_record(bridge.records()[0]).game)


async def test_a_player_who_logs_in_again_hears_the_referee(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        table = await people.sit_down()
        await people.move(table)
        await people.white.go()
        await until(lambda: "bravo" not in table.users)
        people.white = await KgsPerson(people.server, "bravo").come()
        await people.white.post("JOIN_GAME_BY_ID", timestamp=table.timestamp)
        await people.white.hears("^Move 2, you: dice")
        await people.move(table)
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")


@pytest.mark.slow
async def test_two_passes_do_not_end_the_game_while_there_is_room(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        table = await people.sit_down()
        await people.move(table)
        await people.draw(table)
        await people.white.move("pass")
        await people.draw(table)
        await people.black.move("pass")
        await people.black.hears(
            "Some line still has room, so the second player to pass must play instead. Please undo the last pass"
        )
        await people.take_back(table)
        await people.move(table)
        # Both agree that the next two passes are the end.
        await people.white.say("!stop")
        await people.black.hears("bravo wants the next two passes to end the game")
        await tell(people.black, "!fin")
        await people.black.hears("[Ll]es deux prochaines passes finissent la partie")
        await people.draw(table)
        await people.white.move("pass")
        await people.draw(table)
        await people.black.move("pass")
        await until(lambda: table.is_scoring)
        for person in (people.black, people.white):
            await person.in_game("GAME_SCORING_DONE", doneId=table.done_id)
        await people.black.hears("Selon nos règles")
        await people.white.hears("By our rules: ")
        await ended(bridge, table)
        assert len(people.black.heard("Some line still has room|Une ligne a encore")) == 1


@pytest.mark.long
async def test_new_dice_fall_where_neither_had_a_point(tmp_path: Path) -> None:
    # Without fallback whoever throws the number of a full line has to pass: the middle is full at once.
    async with two(tmp_path, "watch: room\n", game=f"{ALEAGO},mapping=original") as (bridge, people):
        again = False
        for number in range(1, 13):
            table = await people.sit_down()
            while not again and not table.over and len(table.moves) < 16:
                opened = await people.draw(table)
                position, board = table.game.position, table.game.rules.board
                legal = {board.vertex(point) for point in table.game.rules.legal(position) if point >= 0}
                seen = len(table.moves)
                await people.whose(table).move(min(opened & legal, default="pass"))
                await until(lambda seen=seen, table=table: len(table.moves) == seen + 1)  # type: ignore[misc]
                again = table.is_scoring
            if again:
                await people.black.hears("Neither of you had an open point. Please undo the last pass")
                await people.take_back(table)
                # Both passes count between us, and so does the one that is left.
                await people.whose(table).hears(rf"^Move {len(table.moves) + 3}, you")
            await people.black.in_game("GAME_RESIGN")
            await until(lambda number=number: len(people.server.finished) == number)  # type: ignore[misc]
            await ended(bridge, table)
            if again:
                break
        assert again


@pytest.mark.slow
async def test_a_lost_line_leaves_the_same_game_and_the_same_dice(tmp_path: Path) -> None:
    async with two(tmp_path) as (bridge, people):
        await ask(people.white, "!arbitre")
        await people.white.hears("Je rejoins votre partie")
        table = await people.sit_down()
        for cut in range(4):
            await people.move(table)
            await people.move(table)
            await people.draw(table)
            people.server.cut("judge")
            await until(lambda cut=cut: bridge.session.counters.logins == cut + 2, "the next login")  # type: ignore[misc]
            await until(lambda: "judge" in table.users, "the referee again")
        people.black.check_draws()
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")
        assert len(bridge.records()) == 1


async def test_players_who_leave_and_come_back_find_the_referee(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        table = await people.sit_down()
        await people.move(table)
        drawn = await people.draw(table)
        for person in (people.black, people.white):
            await person.post("UNJOIN_REQUEST", channelId=table.channel)
        # It does not keep the game open by itself.
        await until(lambda: not table.users and not bridge.session.games, "an empty game")
        told = len(people.white.heard("^Move 2, you"))
        await people.black.post("ROOM_LOAD_GAME", channelId=ROOM, timestamp=table.timestamp)
        await until(lambda: {"alpha", "bravo", "judge"} <= set(table.users), "all of them")
        said = await people.white.hears("^Move 2, you", told)
        assert set(re.findall(r"\b[A-E][1-5]\b", said)) == drawn - {"pass"}
        await people.move(table)
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")


async def test_a_late_referee_accepts_the_earlier_moves(tmp_path: Path) -> None:
    async with two(tmp_path) as (bridge, people):
        table = await people.sit_down()
        for vertex in ("C3", "A1", "B2"):
            await people.whose(table).move(vertex)
        await ask(people.black)
        await people.white.hears("^Move 4, you: dice")
        await people.move(table)
        await people.white.in_game("GAME_RESIGN")
        await ended(bridge, table, "B+R")
        assert load_record(bridge.records()[0]).told <= frozenset({1, 2, 3})
        assert not people.black.heard("Please undo")


async def test_a_player_may_send_it_away_and_somebody_may_be_kept_out(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\nchallenges: {block: [carol]}\n") as (bridge, people):
        table = await people.sit_down()
        await people.move(table)
        await people.white.say("!bye")
        await people.black.hears("bravo has sent me away. The secret of the dice was [0-9a-f]{64}")
        await until(lambda: "judge" not in table.users and not bridge.session.games, "its leave")
        await people.white.move(
            table.game.rules.board.vertex(next(p for p in table.game.rules.legal(table.game.position) if p >= 0))
        )
        await ask(people.fan)
        await ask(people.fan, "!help")
        await ask(people.black, "!help")
        await people.black.hears("I am a referee for Aleago. Type !referee")
        assert people.fan.lines.count("!help") == 1
        assert not people.fan.heard("I am a referee for Aleago")
        assert "judge" not in table.users
        assert not list((bridge.config.outputs.folder / "games").glob("*.json"))


async def test_only_free_games_of_two_are_refereed_on_any_board(tmp_path: Path) -> None:
    async with two(tmp_path, "watch: room\n") as (bridge, people):
        pair = {role: {"name": name} for role, name in (("black", "x"), ("white", "y"))}
        others = [
            {"channelId": 991, "gameType": "ranked", "players": pair},
            {"channelId": 992, "gameType": "demonstration", "players": {"owner": {"name": "x"}}},
            {"channelId": 993, "gameType": "rengo", "players": {**pair, "black_2": {"name": "z"}}},
            {"channelId": 994, "gameType": "free"},
        ]
        people.server.push("judge", "GAME_LIST", channelId=ROOM, games=others)
        table = await people.sit_down(size=7)
        await people.black.hears("^Move 1, you: dice")
        await people.black.in_game("GAME_RESIGN")
        await ended(bridge, table, "W+R")
        joined = {message["channelId"] for name, message in people.server.heard if message["type"] == "JOIN_REQUEST"}
        assert not joined & {991, 992, 993, 994}


def test_the_second_pass_of_two_people_is_an_end_only_where_nobody_can_play() -> None:
    rules = parse(ALEAGO)
    table = ReplayedGame(rules, b"\0" * 32, {}).table
    assert policies.second_pass_of_two(REROLL, rules, table.position) == policies.PLAY_ON
    assert policies.second_pass_of_two(ACCEPT, rules, table.position) == policies.END
    full = ReplayedGame(rules, b"\0" * 32, dict.fromkeys(range(1, 25), 1)).table
    assert policies.second_pass_of_two(REROLL, rules, full.position) == policies.END
