"""The bridge on NNGS: ordinary Go and Aléago with people, undo, passes, cuts, and all that a server may do."""

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.bridge.core import games_in_progress
from gtp_variants.bridge.core.config import Password
from gtp_variants.bridge.core.engine_seat import SupervisedPlayer
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.errors import PeerGone
from gtp_variants.records.files import load_record
from gtp_variants.rules.boards.chains import chain
from tests.bridge.fakes.fake_server import LineClient
from tests.bridge.fakes.nngs_server import NngsMatch, NngsServer
from tests.bridge.fakes.running_bridge import (
    ACCOUNTS,
    ALEAGO,
    ENGINE,
    PASSWORD,
    Person,
    Running,
    at_match,
    check_record,
    config_of,
    running,
)
from tests.support.waiting import until

# What is said in games with many forced passes, under which policies.
_SAID_UNDER = {
    "You have passed, and no point is open for me. Two passes": ("reroll",),
    "no point is open for me. It is your turn again": ("undo",),
    "No point was open for you, so our two passes": ("reroll", "undo"),
    "the second player to pass must play": ("reroll", "undo"),
}


async def test_an_ordinary_game_is_played_and_counted(tmp_path: Path) -> None:
    async with at_match(tmp_path, game="go:size=5") as (server, bridge, person, match):
        for number in range(40):
            await until(lambda: match.is_scoring or match.to_play == 1)
            if match.is_scoring:
                break
            await person.play_first(match, number < 3)
        person.type("done")
        await until(lambda: len(server.finished) == 1, "the result")
        await until(lambda: not bridge.session.games)
        record = load_record(bridge.records()[0])
        assert record.result is not None
        assert record.result[0] == ("B" if match.result.startswith("White") else "W")


@pytest.mark.parametrize("account", ["Botty", "BOTTY"])
@pytest.mark.parametrize("is_guest", [False, True])
async def test_an_account_is_the_same_however_it_is_written(tmp_path: Path, account: str, is_guest: bool) -> None:
    accounts = {"alpha": "sesame"} if is_guest else ACCOUNTS
    async with NngsServer(accounts) as server:
        config = config_of("nngs", server.port, tmp_path, name=account)
        config = replace(
            config, server=replace(config.server, password=Password() if is_guest else config.server.password)
        )
        async with running(config) as bridge:
            person = await Person(server, "alpha").come()
            await until(lambda: server.is_ready("botty"), "the bot")
            person.type("match botty b 5 10 0")
            await until(lambda: server.match is not None, "the match")
            match = server.playing
            await person.play_first(match, True)
            await until(lambda: len(match.moves) == 2, "the bot's move")
            person.type("resign")
            await until(lambda: not bridge.session.games and bool(server.finished))
            assert bridge.session.counters.results == {"won": 1}
            await person.go()


@pytest.mark.parametrize("is_new_process", [False, True])
async def test_a_game_that_ended_while_we_were_away_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new_process: bool
) -> None:
    """The server says how it ended: that is in the record, in the hook and in the log, and the secret is told."""
    monkeypatch.setattr(games_in_progress, "SEEN_WITHIN_S", 0.2)
    hook = tmp_path / "hook.sh"
    hook.write_text(f'#!/bin/sh\necho "$GTP_VARIANTS_EVENT $GTP_VARIANTS_RESULT" >> {tmp_path}/ends\n')
    hook.chmod(0o700)
    async with NngsServer(ACCOUNTS) as server:
        config = config_of("nngs", server.port, tmp_path, f"hooks: {{on_game_end: {hook}}}\n", game=ALEAGO)
        first, person = Running(config), await Person(server, "alpha").come()
        match = await person.begin()
        await person.play_on(2)
        if is_new_process:
            await first.end()
        await server.close()
        # Somebody ended it for us.
        server.stored.clear()
        match.result = "Black resigns."
        server.finished.append(match)
        await server.open()
        second = Running(config) if is_new_process else first
        await until(lambda: (tmp_path / "ends").exists(), "the end")
        await second.end()
        assert (tmp_path / "ends").read_text() == "game_end W+R\n"
        (path,) = second.records()
        record = check_record(path)
        assert record.result == "W+R"
        assert not list((config.outputs.folder / "games").glob("*.json"))
        await person.go()


async def test_a_game_whose_line_breaks_in_the_farewell_is_over_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_line(server: Nngs, user: str, text: str) -> None:
        raise PeerGone("the line broke")

    monkeypatch.setattr(Nngs, "tell", break_line)
    async with at_match(tmp_path) as (_, bridge, person, _):
        await person.play_on(2)
        person.type("resign")
        await until(lambda: bridge.session.counters.results == {"won": 1}, "the end")
        await until(lambda: not bridge.session.games)
        assert not list((bridge.config.outputs.folder / "games").glob("*.json"))
        check_record(bridge.records()[0])


async def test_a_game_continues_with_its_dice_whatever_the_file_says_by_now(tmp_path: Path) -> None:
    """The name and the folder, by which the dice of a game are found, stay as they were until the next start."""
    async with at_match(tmp_path) as (server, bridge, person, _):
        await person.play_on(2)
        other = replace(bridge.config.outputs, folder=tmp_path / "elsewhere")
        bridge.session.reload(replace(bridge.config, name="other", outputs=other))
        server.cut(server.online["botty"])
        await until(lambda: bridge.session.counters.logins == 2 and server.match is not None, "the game")
        await person.play_on(2)
        person.check_draws()
        assert not (tmp_path / "elsewhere").exists()
        assert "stay as they are until the next start" in bridge.written()


async def _pass_to_the_count(person: Person, match: NngsMatch) -> list[str]:
    """Place one stone and pass until both have; the stones of a chain of the bot's."""
    for number in range(60):
        await until(lambda: match.is_scoring or match.to_play == 1)
        if match.is_scoring:
            break
        await person.play_first(match, number < 1)
    board, stones = match.game.rules.board, match.game.position.stones
    # The longest, since how the bot plays depends on the time it has.
    chains = [chain(board, stones, point) for point, stone in enumerate(stones) if stone == 2]
    return [board.vertex(each) for each in max(chains, key=len)]


async def test_a_dead_chain_may_be_marked_by_any_of_its_stones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs: list[str] = []

    async def call_dead(player: SupervisedPlayer, steps: object) -> tuple[str, ...]:
        return tuple(theirs[:1])

    monkeypatch.setattr(SupervisedPlayer, "dead", call_dead)
    async with at_match(tmp_path, game="go:size=5") as (_, _, person, match):
        theirs += await _pass_to_the_count(person, match)
        await until(lambda: "botty" in match.done, "its word")
        person.type(theirs[1].lower())
        await person.hears(f"Removing @ {theirs[1]}")
        await until(lambda: "botty" in match.done, "its word again")
        assert not person.heard("I think the stone on")


async def test_an_engine_that_calls_nonsense_dead_holds_up_no_count(tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    words = line.split()\n"
        "    told = {'list_commands': 'final_status_list', 'protocol_version': '2', 'genmove': 'pass'}\n"
        "    told['final_status_list'] = 'Z99'\n"
        "    print('=', told.get(words[0], ''), end='\\n\\n', flush=True)\n"
    )
    more = f"engine: {{command: {sys.executable} {script}}}\n"
    async with at_match(tmp_path, more, game="go:size=5") as (_, bridge, person, match):
        while not match.is_scoring:
            await person.play_first(match, len(match.moves) < 2)
            await until(lambda: match.to_play == 1 or match.is_scoring, "its move")
        await until(lambda: "botty" in match.done, "its word")
        assert "cannot read its answer 'Z99' to final_status_list" in bridge.written()


async def test_games_continue_where_nothing_can_be_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A disk that is full or can only be read costs the log and the records, and no game: neither this nor the next."""
    async with NngsServer(ACCOUNTS) as server:
        config = config_of("nngs", server.port, tmp_path, f"engine: {{command: {ENGINE} go:size=5 --bot greedy}}\n")
        async with running(config) as bridge:
            for name in ("logs", "games", "records"):
                (config.outputs.folder / name).write_text("where a folder should be")
            person = await Person(server, "alpha").come()
            for number in (1, 2):
                match = await person.begin()
                await person.play_first(match, True)
                await until(lambda match=match: len(match.moves) == 2, "the bot's move")  # type: ignore[misc]
                person.type("resign")
                await until(lambda: not bridge.session.games and server.match is None, "the end")
                assert bridge.session.counters.results == {"won": number}
            assert bridge.session.counters.logins == 1
            assert bridge.session.counters.engine_failures == 0
            await person.go()
    said = capfd.readouterr().err
    assert said.count("cannot be written") == 2
    assert "Logging error" not in said


async def test_aleago_with_a_person_from_greeting_to_secret(tmp_path: Path) -> None:
    more = 'chat: {greeting: ["Hello {opponent}, {game}!"], farewell: ["Bye {opponent}: {result}"]}\n'
    async with at_match(tmp_path, more) as (_, bridge, person, _):
        await person.play_on(4)
        person.type("say !dés")
        await person.hears(r"Coup \d+, vous\u00a0: dés \d -> ligne")
        person.type("say !stop")
        await person.hears("Les deux prochaines passes")
        person.type("resign")
        await person.hears(r"Bye alpha: W\+R")
        secret = person.check_secret(await person.hears(r"secret des dés était ([0-9a-f]{64})"))
        await until(lambda: not bridge.session.games)
        assert person.heard("Hello alpha, Aléago!")
        check_record(bridge.records()[0])
        # The secret is in no file before it is told, but in the one that only its owner can read.
        assert secret not in bridge.written().partition("says: The secret")[0].partition("secret des")[0]


async def test_a_stone_off_the_line_is_taken_back_by_the_servers_undo(tmp_path: Path) -> None:
    async with at_match(tmp_path) as (server, bridge, person, match):
        drawn = await person.hears(r"Move 1, you: dice \d -> ")
        wrong = "a1" if "dice 1" not in drawn else "c3"
        for count in range(3):
            person.type(wrong)
            await person.hears("I take this move back. Please play here", count)
            await person.hears(r"28 botty undid the last move", count)
        assert match.moves == []
        # The same dice come again; at last the stone is let stand, and the game continues.
        assert len(set(person.heard(r"Move 1, you"))) == 1
        person.type(wrong)
        await person.hears("This time I let the stone stay")
        await until(lambda: len(match.moves) == 2, "an answer")
        person.type("resign")
        await until(lambda: not bridge.session.games and bool(server.finished))
        assert check_record(bridge.records()[0]).told == frozenset({1})


async def test_our_move_taken_back_by_the_opponent_comes_again_under_the_same_dice(tmp_path: Path) -> None:
    async with at_match(tmp_path) as (_, _, person, match):
        await person.play_on(1)
        await until(lambda: len(match.moves) == 2)
        first = list(match.moves)
        said = person.heard("Move 2, me")[0]
        person.type("undo")
        await person.hears("28 alpha undid")
        await until(lambda: len(match.moves) == 2)
        assert match.moves == first
        assert set(person.heard("Move 2, me")) == {said}


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["reroll", "undo", "accept"])
async def test_whole_games_under_each_policy_for_two_passes(tmp_path: Path, policy: str) -> None:
    async with NngsServer(ACCOUNTS) as server:
        more = f"policies: {{double_pass: {policy}}}\n"
        # Without fallback whoever throws a 3, or the number of a full line, has to pass.
        game = f"{ALEAGO},mapping=original"
        async with running(config_of("nngs", server.port, tmp_path, more, game=game)) as bridge:
            for seed in range(6):
                person = await Person(server, "alpha", seed).come()
                await person.begin("bw"[seed % 2])
                await person.play_on(30, passes=0.3)
                person.type("done")
                if server.match is not None:
                    person.type("resign")
                await until(lambda seed=seed: len(server.finished) == seed + 1, "the end")  # type: ignore[misc]
                await until(lambda: not bridge.session.games)
                await person.go()
                await until(lambda: "alpha" not in server.online)
            assert len(bridge.records()) == 6
            for path in bridge.records():
                check_record(path)
            assert "unexpected" not in bridge.written()
            assert "dispute" not in bridge.written()
            said = bridge.written()
            for word, policies in _SAID_UNDER.items():
                assert word not in said or policy in policies, word
            # Of so many forced passes some meet.
            assert policy != "reroll" or "both of us" in said


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_random_cuts_leave_the_same_game_and_the_same_dice(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    async with at_match(tmp_path, seed=seed) as (server, bridge, person, _):
        for _ in range(8):
            await person.play_on(2)
            if server.match is None:
                break
            client = server.online.get("botty")
            await until(lambda: rng.random() < 0.2)
            if client is not None:
                server.cut(client)
            await until(lambda: server.match is not None or bool(server.finished), "the game again")
        if server.match is not None:
            person.type("resign")
        await until(lambda: bool(server.finished), "the end")
        await until(lambda: not bridge.session.games)
        person.check_draws()
        assert len(bridge.records()) == 1
        check_record(bridge.records()[0])
        assert bridge.session.counters.lost_lines >= 1


class _LosesWords(NngsServer):
    """Its line breaks with the first thing said that holds each of these words, before anybody hears it."""

    lost: tuple[str, ...] = ("I have fixed all dice", "Move 1,", "Move 3,")

    def _do_say(self, client: LineClient, rest: str) -> None:
        word = next((word for word in self.lost if word in rest), None)
        if word is None:
            super()._do_say(client, rest)
            return
        self.lost = tuple(each for each in self.lost if each != word)
        self.cut(client)


async def test_chat_lost_with_the_connection_is_repeated(tmp_path: Path) -> None:
    server = _LosesWords(ACCOUNTS)
    async with at_match(tmp_path, server=server) as (_, bridge, person, _):
        await person.play_on(3)
        assert not server.lost
        assert bridge.session.counters.lost_lines == 3
        assert person.heard("I have fixed all dice before the game. Their fingerprint is sha256")


async def test_challenges_are_filtered_and_refused_with_a_reason(tmp_path: Path) -> None:
    more = "challenges: {sizes: [5, 9], main: [1m, 15m], block: [bravo], per_user: 1, colours: white}\n"
    async with NngsServer(ACCOUNTS) as server, running(config_of("nngs", server.port, tmp_path, more)) as bridge:
        alpha = await Person(server, "alpha").come()
        bravo = await Person(server, "bravo").come()
        await until(lambda: "botty" in server.online)
        bravo.type("match botty b 5 10 0")
        await bravo.hears("botty declines your request")
        alpha.type("match botty b 13 10 0")
        await alpha.hears("I do not play on size 13. Please choose size 5, 9")
        alpha.type("match botty b 5 30 0")
        await alpha.hears("I need a main time of 1 to 15 minutes, not 30")
        alpha.type("match botty w 5 10 0")
        await alpha.hears("I play only as White")
        alpha.type("match botty b 5 10 0")
        # A game that is over before the bridge has heard of it is none of its games of the day.
        await until(lambda: bool(bridge.session.games), "the game")
        alpha.type("resign")
        await until(lambda: not bridge.session.games and bool(server.finished))
        alpha.type("match botty b 5 10 0")
        await alpha.hears("You have reached my limit for one day")
        assert not bravo.heard(r"24 \*botty\*")
        assert bridge.session.counters.challenges_refused == 5
        await alpha.go()
        await bravo.go()


async def test_komi_is_agreed_on_before_the_first_move(tmp_path: Path) -> None:
    async with at_match(tmp_path, game="go:size=5") as (_, bridge, person, match):
        await until(lambda: bool(bridge.session.games))
        person.type("komi 3.5")
        await until(lambda: match.komi == 3.5, "the komi")
        person.type("c3")
        await until(lambda: len(match.moves) == 2)
        person.type("komi 100")
        await person.hears("I play with a komi of")
        assert "komi=3.5" in next(iter(bridge.session.games.values())).rules.spec


async def test_a_stalled_server_is_left_and_the_game_gone_on_with(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        config = config_of("nngs", server.port, tmp_path, game=ALEAGO)
        config = replace(config, server=replace(config.server, silence_s=2.0))
        async with running(config) as bridge:
            person = await Person(server, "alpha").come()
            await person.begin()
            await person.play_on(1)
            server.is_stalled = True
            await until(lambda: bridge.session.counters.lost_lines > 0, "the end of patience")
            server.is_stalled = False
            await until(lambda: server.match is not None, "the game again")
            await person.play_on(1)
            await person.go()


async def test_floods_garbage_and_half_lines_do_no_harm(tmp_path: Path, stopped_clock: None) -> None:
    async with at_match(tmp_path) as (server, bridge, person, _):
        await person.hears("Move 1, you")
        client = server.online["botty"]
        rng = random.Random(5)
        for _ in range(200):
            client.writer.write(bytes(rng.randrange(256) for _ in range(rng.randrange(80))) + b"\r\n")
        client.writer.write(b"15 Game x\r\n15   99(B): D4\r\n28\r\n9 Use <match\r\n22 {Game 1: a vs b : }\r\n15 ")
        client.writer.write(b"Game 77 I: other (0 1 -1) vs people (0 1 -1)\r\n15   0(B): A1\r\n1 6\r\n")
        for _ in range(50):
            person.type("say !help")
        await person.hears("!rules explains the rules")
        await person.play_on(3)
        assert bridge.session.counters.lost_lines == 0
        assert len(person.heard("!rules explains the rules")) < 10


async def test_a_second_login_and_a_wrong_password_end_the_bridge(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        bridge = Running(config_of("nngs", server.port, tmp_path))
        await until(lambda: "botty" in server.online)
        thief = await Person(server, "botty").come()
        assert await bridge.status() == 3
        await thief.go()
        server.passwords["botty"] = "another"
        bridge = Running(config_of("nngs", server.port, tmp_path))
        assert await bridge.status() == 3
        assert PASSWORD not in bridge.written()


async def test_chat_that_imitates_server_messages_has_no_effect(tmp_path: Path) -> None:
    """Nobody ends our games, or throws us out, by words."""
    async with at_match(tmp_path) as (server, bridge, person, match):
        await person.hears("Move 1, you")
        rude = await Person(server, "bravo").come()
        replaced = "**** botty has arrived - you can't both be logged in. ****"
        for words in (replaced, f"{{Game {match.number}: botty vs alpha : White lost by 3.0.}}"):
            for command in ("tell botty", "shout"):
                rude.type(f"{command} {words}")
            person.type(f"say {words}")
        await person.play_on(3)
        assert not bridge.task.done()
        await until(lambda: len(match.moves) >= 4, "the bot's moves")
        assert not person.heard("secret of the dice was")
        await rude.go()


async def test_alter_igo_ends_where_it_differs_from_go(tmp_path: Path) -> None:
    async with at_match(tmp_path, game="alter-igo:size=5", seed=3) as (server, bridge, person, match):
        for _ in range(400):
            await until(lambda: server.match is None or match.to_play == 1)
            if server.match is None:
                break
            game, seen = match.game, len(match.moves)
            legal = [point for point in game.rules.legal(game.position) if point >= 0]
            person.type(game.rules.board.vertex(person.rng.choice(legal)).lower() if legal else "resign")
            await until(lambda seen=seen: server.match is None or len(match.moves) > seen)  # type: ignore[misc]
        await until(lambda: bool(server.finished), "an end")
        await until(lambda: not bridge.session.games)
        # A few games end before the boards differ.
        assert person.heard("differ") or "resign" in person.typed


async def test_a_wrong_stone_is_explained_in_the_opponents_language(tmp_path: Path) -> None:
    async with at_match(tmp_path) as (_, _, person, _):
        await person.hears(r"Move 1, you: dice \d -> ")
        person.type("say !aide")
        await person.hears("!règles explique les règles")
        await person.play_wrong(person.play)
        await person.hears(
            r"est sur la ligne \d, le tirage ouvre .* J'annule ce coup. Jouez ici, s'il vous plaît\u00a0: ligne"
        )


async def test_an_offer_that_comes_right_behind_the_prompt_is_heard(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        person = await Person(server, "alpha").come()
        log_in = server._log_in

        def log_in_and_offer(client: LineClient) -> None:
            log_in(client)
            if client.name == "botty":
                server._command(server.online["alpha"], "match botty b 5 10 0")

        server._log_in = log_in_and_offer  # type: ignore[method-assign]
        async with running(config_of("nngs", server.port, tmp_path)):
            await until(lambda: server.match is not None, "the match")
        await person.go()


@pytest.mark.parametrize(("more", "answers"), [("", 6), ("challenges: {block: [bravo]}\n", 0)])
async def test_answers_to_outsiders_are_limited(tmp_path: Path, stopped_clock: None, more: str, answers: int) -> None:
    async with at_match(tmp_path, more) as (_, _, person, _):
        await person.hears("Move 1, you")
        idle = await Person(person.server, "bravo").come()
        for _ in range(40):
            idle.type("tell botty !help")
        idle.type("tell alpha the end")
        await person.hears("the end")
        await person.play_on(2)
        assert len(idle.heard("!rules")) == answers
        await idle.go()


async def test_people_may_ask_how_strong_it_plays(tmp_path: Path) -> None:
    async with at_match(tmp_path) as (_, _, person, _):
        await person.hears("Move 1, you")
        person.type("say !level")
        await person.hears("I am ")
        person.type("say !niveau")
        await person.hears("Je suis ")
