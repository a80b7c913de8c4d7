"""The adapter for PettingZoo, by PettingZoo's own tests."""

from random import Random
from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.errors import IllegalMove
from tests.support.specs import ENDLESS, SMALL, two_quick

pytest.importorskip("pettingzoo", reason="the extra `pettingzoo` is not installed")

# Every game, and ten option sets and more: all that are small.
SPECS = (*SMALL, *ENDLESS)


def env(spec: str, **more: Any) -> Any:
    from gtp_variants.adapters import pettingzoo

    return pettingzoo.env(spec, **more)


def parallel_env(spec: str, **more: Any) -> Any:
    from gtp_variants.adapters import pettingzoo

    return pettingzoo.parallel_env(spec, **more)


# They are dictionaries.
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("spec", two_quick(SPECS))
def test_pettingzoos_own_conformance_tests(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    api_test(env(spec), num_cycles=40)
    seed_test(lambda: env(spec), num_cycles=20)
    parallel_api_test(parallel_env(spec), num_cycles=40)
    parallel_seed_test(lambda: parallel_env(spec), num_cycles=20)


def test_the_observation_is_what_the_encoder_gives_the_seat() -> None:
    game, rng = env("phantom:size=4"), Random(1)
    game.reset(seed=1)
    rules = gv.parse("phantom:size=4")
    mirror, encoder = gv.Game(rules), gv.Encoder(rules)
    for _ in range(12):
        action = rng.choice([each for each in range(16) if game.last()[0]["action_mask"][each]])
        game.step(action)
        mirror.play(mirror.position.mover, action)
        for agent, colour in (("player_0", gv.BLACK), ("player_1", gv.WHITE)):
            planes, features = encoder.encode(rules.view(mirror.heard(colour), colour))
            seen = game.observe(agent)["observation"]
            assert np.array_equal(seen["planes"], planes)
            assert np.array_equal(seen["globals"], features)


def test_news_in_words() -> None:
    game = env("phantom:size=3")
    game.reset(seed=1)
    for action in (1, 0, 3):
        game.step(action)
    assert game.last()[4]["news"] == [
        "White plays and puts itself in atari",
        "Black plays and captures 1 white stone",
        "shown to both: A1",
    ]
    game.step(1)
    assert game.last()[4]["news"] == ["impossible move", "B1 was refused"]
    assert game.infos["player_0"]["news"][-1] == "impossible move"


def test_news_of_dice() -> None:
    game = parallel_env("aleago:size=5,dice=1d3")
    _, infos = game.reset(seed=1)
    assert infos["player_0"]["news"] == ["draw 3: line 3 is open"]
    assert infos["player_0"] == infos["player_1"]


@pytest.mark.parametrize("spec", ["phantom:size=4", "phantom:size=4,rules=olympiad", "phantom:size=3,rules=openspiel"])
def test_different_news_differ_in_the_observation(spec: str) -> None:
    """After every possible next event, different news gives a different observation."""
    for seed in range(4):
        rng, start = Random(seed), env(spec)
        start.reset(seed=1)
        played: list[int] = []
        while len(played) < 8 + 3 * seed and not any(start.terminations.values()):
            played.append(
                rng.choice(
                    [
                        each
                        for each in range(len(start.last()[0]["action_mask"]) - 2)
                        if start.last()[0]["action_mask"][each]
                    ]
                )
            )
            start.step(played[-1])
        if any(start.terminations.values()):
            continue
        seen: dict[str, dict[tuple[str, ...], set[bytes]]] = {"player_0": {}, "player_1": {}}
        for action in np.flatnonzero(start.last()[0]["action_mask"]):
            game = env(spec)
            game.reset(seed=1)
            for each in (*played, int(action)):
                game.step(each)
            for agent, looks in seen.items():
                observed = game.observe(agent)["observation"]
                look = observed["planes"].tobytes() + observed["globals"].tobytes()
                looks.setdefault(tuple(game.infos[agent]["news"]), set()).add(look)
        for looks in seen.values():
            all_looks = [look for found in looks.values() for look in found]
            assert len(all_looks) == len(set(all_looks))


def test_in_parallel_only_the_agent_to_act_counts_and_a_masked_action_loses() -> None:
    game = parallel_env("go:size=3")
    game.reset(seed=1)
    seen, *_ = game.step({"player_0": 4, "player_1": 4})
    assert [int(seen[agent]["action_mask"].sum()) for agent in game.possible_agents] == [0, 9]
    _, rewards, terminations, _, infos = game.step({"player_0": 0, "player_1": 4})
    assert rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(terminations.values())
    assert not game.agents
    assert infos["player_1"]["news"] == ["B2 holds a black stone."]


def test_a_refused_try_is_the_same_agent_again() -> None:
    game = env("phantom:size=4")
    game.reset(seed=1)
    game.step(5)
    assert game.agent_selection == "player_1"
    before = game.observe("player_0")
    game.step(5)
    assert game.agent_selection == "player_1"
    seen = game.observe("player_1")
    refused = gv.Encoder(gv.parse("phantom:size=4")).planes.index("refused")
    assert (seen["action_mask"][5], seen["observation"]["planes"][refused][5]) == (0, 1)
    assert np.array_equal(game.observe("player_0")["observation"]["planes"], before["observation"]["planes"])


def test_observations_contain_no_hidden_stones() -> None:
    seen = set()
    for point in range(16):
        game = env("phantom:size=4")
        game.reset(seed=1)
        game.step(point)
        observed = game.observe("player_1")
        arrays = (*observed["observation"].values(), observed["action_mask"])
        seen.add(b"".join(array.tobytes() for array in arrays))
    assert len(seen) == 1


def test_the_winner_gets_the_reward() -> None:
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
