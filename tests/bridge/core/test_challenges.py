"""Challenges without a server: acceptance, the queue, and refusals with their sentences."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gtp_variants.bridge.core.challenges import Challenges
from gtp_variants.bridge.core.games_in_progress import GamesInProgress
from gtp_variants.bridge.core.server import Challenge, DeclineReason, ServerGame, Terms
from gtp_variants.players.clock import TimeControl
from tests.bridge.fakes.noting import Asked, account_of, noting_server

TERMS = Terms(5, TimeControl("absolute", 600.0), None)


class _Games(SimpleNamespace):
    is_playing = False
    seen_states: tuple[ServerGame, ...] = ()


def _challenges(folder: Path, asked: Asked, more: str = "", **abilities: bool) -> tuple[Challenges, _Games]:
    games = _Games()
    server = noting_server(asked, **{"chat": True, "challenges": True, **abilities})
    return Challenges(account_of(folder, server, more), cast(GamesInProgress, games)), games


async def test_a_challenge_on_good_terms_is_accepted(tmp_path: Path) -> None:
    asked: Asked = []
    challenges, _ = _challenges(tmp_path, asked)
    challenge = Challenge("alpha", TERMS)
    await challenges.answer(challenge)
    assert asked == [("accept", challenge)]


async def test_a_challenger_waits_while_a_game_is_on_and_is_called_after_it(tmp_path: Path) -> None:
    asked: Asked = []
    challenges, games = _challenges(tmp_path, asked)
    games.is_playing = True
    await challenges.answer(Challenge("alpha", TERMS))
    (name, user, reason), *rest = asked
    assert (name, user, reason.key) == ("decline", "alpha", "bridge.queued")
    assert not rest
    games.is_playing = False
    await challenges.call_next()
    assert asked[1][:2] == ("tell", "alpha")
    # Somebody else has to wait until the one who was called had time to come.
    await challenges.answer(Challenge("bravo", TERMS))
    assert asked[2][2].key == "bridge.queued"
    await challenges.answer(Challenge("alpha", TERMS))
    assert asked[3][0] == "accept"


@pytest.mark.parametrize(
    ("more", "terms", "key", "says"),
    [
        ("challenges: {block: [Alpha]}\n", TERMS, "bridge.blocked", False),
        ("", Terms(19, TERMS.control, None), "bridge.size", True),
    ],
)
async def test_a_refusal_is_explained_except_to_blocked_players(
    tmp_path: Path, more: str, terms: Terms, key: str, says: bool
) -> None:
    asked: Asked = []
    challenges, _ = _challenges(tmp_path, asked, more)
    await challenges.answer(Challenge("alpha", terms, id="7"))
    ((name, user, reason),) = asked
    assert (name, user) == ("decline", "alpha")
    assert isinstance(reason, DeclineReason)
    assert (reason.key, bool(reason.text), reason.challenge_id) == (key, says, "7")
    assert challenges._account.counters.challenges_refused == 1


async def test_a_server_of_several_games_refuses_only_one_too_many(tmp_path: Path) -> None:
    asked: Asked = []
    more = "challenges: {at_once: 1}\n"
    challenges, games = _challenges(tmp_path, asked, more, concurrent=True)
    games.is_playing = True
    games.seen_states = (ServerGame("one", 5, 1, {1: "botty", 2: "alpha"}),)
    await challenges.answer(Challenge("bravo", TERMS))
    await challenges.answer(Challenge("alpha", TERMS))
    assert [each[0] for each in asked] == ["accept", "decline"]


async def test_nobody_new_is_played_once_the_bridge_stops(tmp_path: Path) -> None:
    asked: Asked = []
    challenges, _ = _challenges(tmp_path, asked)
    challenges._account.is_stopping = True
    await challenges.answer(Challenge("alpha", TERMS))
    found: Any = asked[0][2]
    assert found.key == "bridge.leaving"
