"""Parts of the OGS adapter by themselves: moves that are sent again, and challenges that are judged one at a time."""

from pathlib import Path
from typing import Any, cast

import pytest

from gtp_variants.base.tasks import BackgroundTasks, TaskWork, Timers
from gtp_variants.bridge.core.policies import Refusal
from gtp_variants.bridge.core.server import Challenge, DeclineReason, Terms
from gtp_variants.players.clock import TimeControl
from tests.bridge.fakes.noting import Asked, Noting
from tests.bridge.fakes.running_bridge import config_of

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")

from gtp_variants.bridge.ogs.challenges import OgsChallenge, ReceivedChallenges
from gtp_variants.bridge.ogs.game import OgsGame, SentMoves
from gtp_variants.bridge.ogs.transport import OgsTransport
from gtp_variants.bridge.ogs.values import OgsPeople


def _raise(error: Exception) -> None:
    raise error


def _game() -> OgsGame:
    game = OgsGame(7)
    players = {side: {"id": number, "username": side} for number, side in enumerate(("black", "white"), 1)}
    game.read({"width": 9, "height": 9, "phase": "play", "moves": [], "players": players, "initial_player": "black"})
    return game


def _sent(asked: Asked) -> tuple[SentMoves, Timers[TaskWork]]:
    timers = BackgroundTasks(_raise).timers
    line = cast(OgsTransport, Noting(asked, {"ask": 5}))
    return SentMoves(line, timers, Noting(asked).join), timers


async def test_a_move_that_is_shown_is_not_sent_again() -> None:
    asked: Asked = []
    sent, timers = _sent(asked)
    game = _game()
    await sent.send(game, "aa")
    assert game in sent
    assert ("echo", 7) in timers
    game.vertices.append("A9")
    sent.see(game)
    assert game not in sent
    assert ("echo", 7) not in timers
    assert sent.game_of_answer(5) == 7
    assert sent.game_of_answer(5) == 0


async def test_a_move_that_is_missing_is_sent_three_times_and_then_given_up() -> None:
    asked: Asked = []
    sent, timers = _sent(asked)
    game = _game()
    await sent.send(game, "aa")
    for _ in range(2):
        await sent._ask_again(game)
        assert await sent.send_missing(game) == ""
    await sent._ask_again(game)
    assert await sent.send_missing(game) == "aa was sent 3 times but does not appear"
    assert [each[0] for each in asked] == ["ask", "join", "ask", "join", "ask", "join"]
    timers.stop_all()


def _proposal(number: int, **more: Any) -> OgsChallenge:
    challenge = Challenge(f"user{number}", Terms(9, TimeControl(), None), id=str(number))
    return OgsChallenge(challenge, 100 + number, "", number, "", **more)


def _challenges(folder: Path, asked: Asked) -> tuple[ReceivedChallenges, BackgroundTasks, OgsPeople, list[str]]:
    woken: list[str] = []
    background, people = BackgroundTasks(_raise), OgsPeople()
    config = config_of("ogs", 443, folder)
    line = cast(OgsTransport, Noting(asked))
    wake = lambda: woken.append("wake")  # noqa: E731
    return ReceivedChallenges(config, line, people, background, print, wake), background, people, woken


async def test_the_next_challenge_is_judged_when_the_accepted_game_has_come(tmp_path: Path) -> None:
    asked: Asked = []
    challenges, background, people, woken = _challenges(tmp_path, asked)
    (first,) = challenges.take(_proposal(1))
    assert challenges.take(_proposal(1)) == [], "it was told already"
    await challenges.accept(cast(Any, first))
    await background.finish(60.0)
    assert asked == [("post", "/api/v1/me/challenges/1/accept", {})]
    assert challenges.take(_proposal(2)) == []
    challenges.note_game(7)
    assert challenges.next() == []
    challenges.note_game(101)
    assert [cast(Any, each).user for each in challenges.next()] == ["user2"]
    assert people.ids == {"user1": 1, "user2": 2}
    assert woken
    background.timers.stop_all()


async def test_a_challenge_that_no_terms_say_is_refused_at_once(tmp_path: Path) -> None:
    asked: Asked = []
    challenges, background, _, _ = _challenges(tmp_path, asked)
    assert challenges.take(_proposal(1, fault=Refusal("bridge.square", {"width": 9, "height": 13}))) == []
    challenges.take(_proposal(2))
    challenges.decline(DeclineReason("bridge.size", "No.", "2"))
    challenges.decline(DeclineReason("bridge.size", "No.", "2"))
    await background.finish(60.0)
    assert [(name, path) for name, path, _ in asked] == [
        ("try_post", "me/challenges/1"),
        ("try_post", "me/challenges/2"),
    ]
    assert asked[1][2]["rejection_details"]["rejection_code"] == "board_size_not_allowed"
