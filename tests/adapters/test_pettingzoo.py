"""The adapter for PettingZoo, by PettingZoo's own tests."""

from typing import Any

import pytest

from gtp_variants.errors import IllegalMove

pytest.importorskip("pettingzoo", reason="the extra `pettingzoo` is not installed")

SPECS = [
    "go:size=4",
    "aleago:size=9",
    "phantom:size=4",
    "phantom:size=4,impossible=private",
    "phantom:size=4,rules=openspiel",
    "rosette:n=2",
    "alter-igo:size=4",
    "pentalath",
    "pentalath:board=hexhex5,players=3",
]


def env(spec: str, **more: Any) -> Any:
    from gtp_variants.adapters import pettingzoo

    return pettingzoo.env(spec, **more)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("spec", SPECS)
def test_pettingzoos_own_conformance_tests(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test, seed_test

    api_test(env(spec), num_cycles=200)
    seed_test(lambda: env(spec), num_cycles=50)


def test_a_refused_try_is_the_same_agent_again() -> None:
    game = env("phantom:size=4")
    game.reset(seed=1)
    game.step(5)
    assert game.agent_selection == "player_1"
    before = game.observe("player_0")
    game.step(5)
    assert game.agent_selection == "player_1"
    seen = game.observe("player_1")
    assert (seen["action_mask"][5], seen["observation"][2][5]) == (0, 1)
    assert (game.observe("player_0")["observation"] == before["observation"]).all()


def test_what_is_hidden_is_not_observed() -> None:
    seen = set()
    for point in range(16):
        game = env("phantom:size=4")
        game.reset(seed=1)
        game.step(point)
        observed = game.observe("player_1")
        seen.add((observed["observation"].tobytes(), observed["action_mask"].tobytes()))
    assert len(seen) == 1


def test_the_end_rewards_who_has_won() -> None:
    game = env("phantom:size=4", render_mode="ansi")
    game.reset(seed=1)
    game.step(17)
    game.step(17)
    assert game.terminations == {"player_0": True, "player_1": True}
    assert game.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert "White wins" in game.render()


def test_a_long_game_is_truncated_and_a_wrong_action_refused() -> None:
    game = env("go:size=4", most_actions=3)
    game.reset(seed=1)
    game.step(0)
    with pytest.raises(IllegalMove):
        game.step(0)
    game.step(1)
    game.step(2)
    assert game.truncations == {"player_0": True, "player_1": True}
