"""Go Fantôme at KGS in private chats: whole games over HTTP, and what each player hears."""

from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core.session import REFUSED
from gtp_variants.records.files import load_record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from tests.bridge.fakes.running_bridge import PASSWORD, running
from tests.support.waiting import until

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.fakes.kgs_demonstration import Demonstration
from tests.bridge.fakes.kgs_people import ROOM
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.kgs.private_room import REFEREE, open_parlour
from tests.bridge.kgs.twins import compare_conversations
from tests.support.twins import EVERY_TWO, QUICK_PAIRS, twin_pair


@pytest.fixture(autouse=True)
def _patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are typed fast are all read, unless their number is what is tested."""
    if "stopped_clock" not in request.fixturenames:
        monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: True)


# -- whole games -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_whole_game_of_two_each_in_a_language(tmp_path: Path) -> None:
    async with open_parlour(tmp_path, game="phantom:size=3,komi=0.5") as parlour:
        black, white = parlour.black, parlour.white
        await parlour.begin("!black", "!blanc")
        await black.hears("You play Black; bravo plays White")
        await white.hears("Vous jouez Blanc\u00a0; alpha joue Noir")
        await parlour.type(black, "B2")
        await black.hears("^Black has played\\.$")
        await white.hears("^Noir a joué\\.$")
        # Whose turn it is not hears so, and nothing happens.
        await parlour.say(black, "a1")
        await black.hears("It is bravo's turn")
        # The point is taken: both hear that the try was impossible, who tried hears which.
        await parlour.type(white, "b2")
        await white.hears("^Coup impossible\\. B2 a été refusé\\.$")
        await black.hears("^Impossible move\\.$")
        await parlour.type(white, "a1")
        await black.hears("^White plays and puts itself in atari|^White has played")
        await parlour.type(black, "a2")
        await white.hears("^Noir joue et met 1 pierre blanche en atari\\.$")
        await parlour.say(white, "!goban")
        await white.hears("^Depuis votre dernier tour\u00a0: Noir joue et met 1 pierre blanche en atari\\.$")
        await white.hears("^Vos pierres\u00a0: A1\\.$")
        await parlour.type(white, "passe")
        await parlour.type(black, "b1")
        await black.hears("^Black plays and captures 1 white stone\\. Shown to both: A1\\.$")
        await white.hears("^Noir joue et capture 1 pierre blanche\\. Montrées aux deux\u00a0: A1\\.$")
        assert not parlour.bridge.records()
        await parlour.type(white, "pass")
        game = parlour.game
        await parlour.say(black, "pass")
        await black.hears("The game is over: Black wins by 8.5 points")
        await white.hears("La partie est finie\u00a0: ")
        record = load_record(await parlour.ended())
        assert record.game.events[:-1] == game.events[:-1]
        assert record.result == "B+8.5"
        assert record.players == {BLACK: "alpha", WHITE: "bravo"}
        # The true board, at the end and not before.
        assert len(black.heard("^The referee's board:$")) == 1
        # And the whole game in public.
        await parlour.fan.hears(
            r"alpha \(Black\) and bravo \(White\) have played a game of Go Fantôme: Black wins by 8.5"
        )
        await until(lambda: any(t.flags == {"saved"} for t in parlour.server.tables.values()), "the board")
        shown = next(t for t in parlour.server.tables.values() if isinstance(t, Demonstration))
        assert shown.shown == {"B2": "black", "A2": "black", "B1": "black"}
        assert shown.root("RESULT")[0]["text"] == "B+8.5"
        assert shown.count == 7
        assert [prop["text"] for prop in shown.root("PLAYERNAME")] == ["alpha", "bravo"]


@pytest.mark.slow
async def test_a_person_against_the_bot_until_the_end(tmp_path: Path) -> None:
    more = "engine: {bot: greedy}\n"
    async with open_parlour(tmp_path, more, game="phantom:size=3") as parlour:
        await parlour.say(parlour.black, "!help")
        await parlour.black.hears("To play against me, type !bot")
        await parlour.say(parlour.black, "!bot")
        await parlour.black.hears("You play Black; judge plays White")
        rules = parse("phantom:size=3")
        moves = iter([*(rules.board.vertex(point) for point in (4, 0, 8, 2, 6)), *(["pass"] * 40)])
        while parlour.bridge.session.games:
            game = parlour.game
            # A game that is over is told to its player before the bridge lets go of it.
            if game.outcome is None and game.position.mover == BLACK:
                await parlour.type(parlour.black, next(moves))
            await until(
                lambda game=game: (  # type: ignore[misc]
                    not parlour.bridge.session.games or (game.outcome is None and game.position.mover == BLACK)
                )
            )
        await parlour.black.hears("The game is over: ")
        record = load_record(await parlour.ended())
        assert record.players == {BLACK: "alpha", WHITE: REFEREE}
        # The bot tried as a seat does that sees nothing.
        assert [event for event in record.game.events if event.actor == WHITE]


@pytest.mark.parametrize(("more", "knows_bot"), [("engine: {bot: greedy}\n", True), ("", False)])
async def test_without_an_engine_only_people_play(tmp_path: Path, more: str, knows_bot: bool) -> None:
    async with open_parlour(tmp_path, more) as parlour:
        await parlour.say(parlour.fan, "!bot")
        await parlour.fan.hears("This is Go Fantôme" if knows_bot else "I am a referee for Go Fantôme")
        assert bool(parlour.bridge.session.games) == knows_bot
        assert bool(parlour.fan.heard("To play against me, type !bot")) is False


@pytest.mark.slow
async def test_dead_stones_are_agreed_on_by_both(tmp_path: Path) -> None:
    game = "phantom:size=3,komi=0.5,dead=agreed"
    async with open_parlour(tmp_path, game=game) as parlour:
        black, white = parlour.black, parlour.white
        await parlour.begin()
        for person, word in ((black, "b2"), (white, "a1"), (black, "pass"), (white, "pass")):
            await parlour.type(person, word)
        for person in (black, white):
            await person.hears("All stones are visible now")
            await person.hears("At present: ")
        await parlour.say(black, "c3")
        await black.hears("All stones are visible now", 1)
        await parlour.say(white, "!dead c1")
        await white.hears("There is no stone on C1")
        await parlour.say(white, "!dead")
        await white.hears("There is no stone on")
        await parlour.say(black, "!count")
        await white.hears("alpha agrees to this count")
        await parlour.type(black, "!dead a1")
        await white.hears("The chain on A1 is called dead.")
        # What was agreed to before the mark does not count.
        await parlour.say(white, "!count")
        await black.hears("bravo agrees to this count")
        assert parlour.bridge.session.games
        await parlour.say(black, "!count")
        record = load_record(await parlour.ended())
        assert record.result == "B+8.5"


# -- before the game ---------------------------------------------------------------------------------------------------


async def test_nobody_has_two_colours_and_nobody_takes_anothers(tmp_path: Path) -> None:
    async with open_parlour(tmp_path, "challenges: {block: [carol]}\n") as parlour:
        black, white, fan = parlour.black, parlour.white, parlour.fan
        await parlour.say(black, "!black")
        await black.hears("You play Black")
        await parlour.say(black, "!white")
        await black.hears("You play White")
        assert not parlour.bridge.session.games
        await parlour.say(white, "!blanc")
        await white.hears("alpha joue déjà Blanc. Tapez !noir")
        await parlour.say(fan, "!black")
        await parlour.say(black, "!bye")
        await black.hears("You have given your colour back")
        await parlour.say(black, "d4")
        await parlour.say(white, "!noir")
        await white.hears("Vous jouez Noir")
        # Who leaves the room waits no more.
        await white.post("UNJOIN_REQUEST", channelId=ROOM)
        await until(lambda: "bravo" not in parlour.server.rooms[ROOM])
        await parlour.say(white, "!noir")
        await white.hears("Venez dans la salle Dice Room")
        # A command in the room is answered in private.
        await black.post("CHAT", channelId=ROOM, text="!black")
        await black.hears("You play Black", 1)
        assert not parlour.told(fan)
        assert not [message for message in parlour.public() if message["type"] == "CHAT"]
        assert not parlour.bridge.session.games


async def test_guests_do_not_play(tmp_path: Path) -> None:
    async with open_parlour(tmp_path) as parlour:
        parlour.server.guests = {"carol", "bravo"}
        # One was there before the referee saw that they are a guest, the other comes.
        parlour.server.cut(REFEREE)
        await until(lambda: parlour.bridge.session.counters.logins == 2)
        await until(lambda: REFEREE in parlour.server.rooms[ROOM])
        await parlour.fan.post("UNJOIN_REQUEST", channelId=ROOM)
        await parlour.fan.post("JOIN_REQUEST", channelId=ROOM)
        for person in (parlour.white, parlour.fan):
            await parlour.say(person, "!black")
            await person.hears("Guests cannot play")
        await parlour.say(parlour.black, "!black")
        await parlour.black.hears("You play Black")


@pytest.mark.slow
async def test_the_daily_limit_is_explained_to_the_player(tmp_path: Path) -> None:
    async with open_parlour(tmp_path, "challenges: {per_user: 1}\n") as parlour:
        await parlour.begin()
        await parlour.type(parlour.black, "resign")
        await parlour.ended()
        await parlour.say(parlour.white, "!white")
        await parlour.white.hears("You have reached my limit for one day")


@pytest.mark.slow
async def test_options_are_agreed_on_by_both_before_the_first_move(tmp_path: Path) -> None:
    async with open_parlour(tmp_path, "challenges: {sizes: [4, 5]}\n") as parlour:
        black, white = parlour.black, parlour.white
        await parlour.begin("!black", "!blanc")
        await parlour.say(black, "!options")
        await black.hears("^The options are size=5, komi=7.5, .*Possible sizes: 4, 5. .*impossible public/private")
        await parlour.say(black, "!options size=4")
        await white.hears("alpha voudrait jouer avec size=4. Pour accepter, tapez !oui")
        await parlour.say(white, "!réglages impossible private")
        await black.hears("bravo would like to play with impossible=private")
        assert parlour.game.rules.spec == parse("phantom:size=5").spec
        await parlour.say(black, "!options impossible=private")
        await white.hears("D'accord. Vous jouez avec size=5, .*impossible=private")
        await parlour.say(white, "!réglages size=4")
        await black.hears("bravo would like to play with size=4")
        await parlour.say(black, "!yes")
        await black.hears("Agreed. You play with size=4, .*impossible=private")
        await parlour.say(white, "!options size=4")
        await white.hears("^Les réglages sont size=4")
        for count, wrong in enumerate(("size=9", "lang=fr", "size=4,komi=0", "nonsense=1", "rules", "komi=1e400"), 1):
            await parlour.say(black, f"!options {wrong}")
            await until(lambda count=count: len(black.heard("^The options are |^I do not play on size")) > count, wrong)  # type: ignore[misc]
        await parlour.say(black, "!yes")
        await black.hears("^The options are size=4", 4)
        # What was agreed on outlives the line, and the process.
        parlour.server.cut(REFEREE)
        await until(lambda: parlour.bridge.session.counters.logins == 2)
        await black.hears("This is Go Fantôme", 1)
        await parlour.type(black, "d4")
        await parlour.say(black, "e5")
        await parlour.say(white, "!options size=5")
        await white.hears("La partie a commencé, donc ses réglages")
        await parlour.say(white, "e5")
        await white.hears("Ce goban n'a pas de point E5")
        assert parlour.game.rules.spec == parse("phantom:size=4,impossible=private").spec


# -- trouble -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_wrong_words_and_third_people_change_nothing(tmp_path: Path) -> None:
    async with open_parlour(tmp_path) as parlour:
        black, fan = parlour.black, parlour.fan
        await parlour.begin()
        for text in ("hello", "d44", "", "z9", "!dice", "!nonsense", "C3 please", "\x00", "d4 " * 200, "!dead a1"):
            await parlour.say(black, text)
        await parlour.say(black, "undo")
        await black.hears("Moves cannot be taken back in Go Fantôme")
        await black.hears("This board has no point Z9")
        for text in ("a1", "pass", "resign", "!board", "!yes", "!bye", "!options size=5"):
            await parlour.say(fan, text)
        # Points typed in the room are not for the referee: all would have seen them.
        await black.post("CHAT", channelId=ROOM, text="a1")
        await parlour.say(fan, "!help")
        await fan.hears("I am a referee for Go Fantôme", 3)
        assert not parlour.game.events
        assert {line for line in parlour.told(fan) if "I am a referee" not in line} == set()
        await parlour.type(black, "a1")
        assert len(parlour.game.events) == 1


async def test_a_fast_typist_is_warned_once_and_delays_nobody(tmp_path: Path, stopped_clock: None) -> None:
    async with open_parlour(tmp_path) as parlour:
        black, white = parlour.black, parlour.white
        await parlour.begin()
        for _ in range(20):
            await parlour.say(white, "a1")
        await white.hears("You are typing too fast")
        await parlour.type(black, "a1")
        await black.hears("Black has played")
        assert len(white.heard("You are typing too fast")) == 1
        assert len(white.heard("It is alpha's turn")) == 13


@pytest.mark.long
async def test_cuts_of_every_kind_lose_nothing(tmp_path: Path) -> None:
    async with open_parlour(tmp_path) as parlour:
        server, people = parlour.server, (parlour.black, parlour.white)
        await parlour.begin()
        words = ("c3", "c4", "b2", "b3", "d2", "d4")
        for number, word in enumerate(words):
            await parlour.type(people[number % 2], word)
            goes_on = [len(person.heard("^The game continues")) for person in people]
            logins = parlour.bridge.session.counters.logins
            # Between two polls there is no connection to break.
            await parlour.is_quiet()
            if number % 3 == 0:
                server.cut(REFEREE)
            elif number % 3 == 1:
                server.sever(REFEREE)
            else:
                # The next poll says that its cookie is worth nothing.
                server.poll_status[REFEREE] = 404
                server.push(REFEREE, "HELLO")
            await until(lambda logins=logins: parlour.bridge.session.counters.logins > logins, "a login")  # type: ignore[misc]
            for person, count in zip(people, goes_on, strict=True):
                await person.hears("^The game continues", count)
        assert len(parlour.game.turns()) == len(words)
        await parlour.say(people[0], "!board")
        await people[0].hears("^Your stones: B2 C3 D2|^Your stones: ")
        await parlour.type(people[0], "resign")
        assert load_record(await parlour.ended()).result == "W+R"
        assert len(parlour.bridge.records()) == 1


@pytest.mark.slow
async def test_another_process_continues_with_the_game(tmp_path: Path) -> None:
    async with KgsServer({REFEREE: PASSWORD, **dict.fromkeys(("alpha", "bravo", "carol"), "sesame")}) as server:
        async with open_parlour(tmp_path, server=server) as parlour:
            await parlour.begin("!black", "!blanc")
            await parlour.type(parlour.black, "c3")
            await parlour.type(parlour.white, "c3")
            await parlour.type(parlour.white, "c4")
            kept = sorted((tmp_path / "out" / "games").iterdir())
            assert [path.suffix for path in kept] == [".journal", ".json"]
            assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
            # A second login with the account ends the first for good.
            config = parlour.bridge.config
            await parlour.black.hears("White has played")
            await parlour.white.hears("Blanc a joué")
            await parlour.is_quiet()
            async with running(config) as other:
                assert await parlour.bridge.status() == REFUSED
                await until(lambda: bool(other.session.games), "the game again")
                assert await other.end() == 0
        async with open_parlour(tmp_path, server=server) as parlour:
            await parlour.white.hears("^La partie continue")
            await parlour.white.hears("^Vos pierres\u00a0: C4")
            await parlour.black.hears("^Since your last turn: Impossible move\\. White has played\\.$")
            await parlour.black.hears("^It is your turn")
            await parlour.type(parlour.black, "resign")
            record = load_record(await parlour.ended())
            assert len(record.game.events) == 4
            assert record.result == "W+R"
            assert not list((tmp_path / "out" / "games").iterdir())


@pytest.mark.slow
async def test_a_player_who_leaves_and_comes_back(tmp_path: Path) -> None:
    async with open_parlour(tmp_path) as parlour:
        black, white = parlour.black, parlour.white
        await parlour.begin()
        await parlour.type(black, "c3")
        await white.go()
        await black.hears("bravo has left the room. I keep the game")
        await until(lambda: not parlour.bridge.session.games)
        await parlour.say(black, "!board")
        await black.hears("Your game waits for bravo")
        await parlour.say(black, "!white")
        await black.hears("Your game waits for bravo", 1)
        white = parlour.white = await parlour.come("bravo")
        # They have logged in again, and are in no conversation: one is opened with them.
        await white.hears("^The game continues")
        await white.hears("^Since your last turn: Black has played")
        await parlour.type(white, "c4")
        await black.hears("White has played")
        # Another login of the same person takes the place of the first.
        parlour.black = again = await parlour.come("alpha")
        await again.hears("^The game continues")
        await again.hears("^Your stones: C3")
        await white.go()
        await parlour.black.hears("bravo has left the room")
        await parlour.say(parlour.black, "!bye")
        await parlour.black.hears("The game has ended without a result")
        record = load_record(await parlour.ended())
        assert (record.result, record.comment) == (None, "broken off")
        assert not list((tmp_path / "out" / "games").iterdir())
        await parlour.say(parlour.black, "!black")
        await parlour.black.hears("You play Black\\. ")


@pytest.mark.slow
async def test_an_absent_player_cannot_end_the_game(tmp_path: Path) -> None:
    async with open_parlour(tmp_path, "engine: {bot: greedy}\n") as parlour:
        black, white, fan = parlour.black, parlour.white, parlour.fan
        await parlour.begin()
        await parlour.say(fan, "!bot")
        await fan.hears("It is your turn")
        for person in (white, fan):
            await person.post("UNJOIN_REQUEST", channelId=ROOM)
        await black.hears("bravo has left the room")
        await until(lambda: not parlour.bridge.session.games)
        for person in (white, fan):
            await parlour.say(person, "!bye")
            await person.hears("Please come into the room Dice Room")
            await person.post("JOIN_REQUEST", channelId=ROOM)
            await person.hears("The game continues")
        await parlour.type(black, "c3")
        assert len(list((tmp_path / "out" / "games").glob("*.json"))) == 2


async def test_both_may_break_a_game_off(tmp_path: Path) -> None:
    async with open_parlour(tmp_path) as parlour:
        await parlour.begin()
        await parlour.type(parlour.black, "c3")
        await parlour.say(parlour.black, "!bye")
        await parlour.white.hears("alpha wants to end the game")
        await parlour.type(parlour.white, "c4")
        await parlour.say(parlour.white, "!bye")
        await parlour.black.hears("bravo wants to end the game")
        assert parlour.bridge.session.games
        await parlour.say(parlour.black, "!bye")
        await parlour.white.hears("The game has ended without")
        record = load_record(await parlour.ended())
        assert (record.result, record.comment, len(record.game.events)) == (None, "broken off", 2)
        assert not parlour.fan.heard("Go Fantôme")


# -- what is hidden stays hidden ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [QUICK_PAIRS[1], *(pytest.param(each, marks=pytest.mark.long) for each in EVERY_TWO[::9])]
)
async def test_twin_games_send_equal_messages_over_http(tmp_path: Path, number: int) -> None:
    await compare_conversations(tmp_path, twin_pair(number))
