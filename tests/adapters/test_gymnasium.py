"""The adapter for Gymnasium, by Gymnasium's own checker; and many games at once."""

from typing import Any

import numpy as np
import pytest

import gtp_variants as gv
from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules import AS_IT_STANDS, parse
from tests.support.specs import EACH, SMALL, two_quick

gymnasium = pytest.importorskip("gymnasium", reason="the extra `gymnasium` is not installed")


def make(spec: str, **more: Any) -> Any:
    import gtp_variants.adapters.gymnasium as adapter

    return gymnasium.make(adapter.name_of(gv.parse(spec).name), spec=spec, **more)


def make_vec(spec: str, count: int, **more: Any) -> Any:
    import gtp_variants.adapters.gymnasium as adapter

    return gymnasium.make_vec(adapter.name_of(gv.parse(spec).name), num_envs=count, spec=spec, **more)


@pytest.mark.parametrize("spec", two_quick(SMALL))
def test_gymnasiums_own_checker(spec: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(make(spec).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("game", gv.GAMES)
def test_every_game_is_registered_with_its_options(game: str) -> None:
    import gtp_variants.adapters.gymnasium as adapter

    assert gymnasium.make(adapter.name_of(game)).unwrapped.rules == parse(game, AS_IT_STANDS)
    size = gymnasium.make("gtp_variants/go-v0", size=5, komi=0.5)
    assert size.unwrapped.rules.short_spec == "go:size=5,komi=0.5,dead=none"


@pytest.mark.parametrize("opponent", ["random", "greedy", "phantom:playouts=4"])
def test_a_whole_game_against_a_bot(opponent: str) -> None:
    env = make("phantom:size=4", opponent=opponent, colour="white", render_mode="ansi")
    seen, info = env.reset(seed=1)
    assert info["news"]
    rng, ended = np.random.default_rng(1), False
    while not ended:
        assert np.array_equal(env.unwrapped.action_masks(), seen["action_mask"].astype(bool))
        seen, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        ended = terminated or truncated
        assert ended or reward == 0
    assert reward in (-1, 0, 1)
    assert not seen["action_mask"].any()
    assert "wins" in env.render()


def test_masked_action_loses_and_the_news_give_the_reason() -> None:
    env = make("aleago:size=5,dice=1d3,komi=0.5", colour="b")
    seen, _ = env.reset(seed=1)
    _, reward, terminated, _, info = env.step(int(np.flatnonzero(seen["action_mask"] == 0)[0]))
    assert (reward, terminated) == (-1, True)
    assert "the draw opens" in info["news"][-1]


def test_equal_seeds_give_equal_games() -> None:
    def play(seed: int) -> list[bytes]:
        env, looks = make("aleago:size=5,dice=1d3"), []
        seen, _ = env.reset(seed=seed)
        for _ in range(8):
            looks.append(seen["planes"].tobytes() + seen["globals"].tobytes())
            seen, _, terminated, _, _ = env.step(int(seen["action_mask"].argmax()))
            if terminated:
                break
        return looks

    assert play(3) == play(3) != play(4)


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(NotationError, match="nobody plays Red"):
        make("go:size=5", colour="red")
    with pytest.raises(NotationError, match="expected a game and options, or a SPEC"):
        make("go:size=5", size=7)
    with pytest.raises(NotationError, match="opponent=mcts: cannot play where stones are hidden"):
        make("phantom:size=4", opponent="mcts")
    with pytest.raises(NotationError, match="opponent=greedy: expected random or a function"):
        make_vec("go:size=5", 2, opponent="greedy")


@pytest.mark.parametrize("spec", EACH)
def test_many_games_at_once(spec: str) -> None:
    """It is always the agent's turn, and rewards come with the ends."""
    envs, rng = make_vec(spec, 6), np.random.default_rng(1)
    seen, _ = envs.reset(seed=2)
    ends = 0
    for _ in range(120):
        assert envs.single_observation_space.contains({key: value[0] for key, value in seen.items()})
        assert seen["action_mask"].any(axis=1).all()
        assert (envs._seen.to_play == envs._colours).all()
        seen, rewards, ended, truncated, _ = envs.step(
            (rng.random((6, seen["action_mask"].shape[1])) * seen["action_mask"]).argmax(axis=1)
        )
        assert not rewards[~ended].any()
        assert set(rewards[ended]) <= {1, 0, -1, -0.5}
        ends += int(ended.sum())
    assert ends
    assert not truncated.any()


def test_a_custom_opponent_and_a_chosen_colour_are_used() -> None:
    """It takes the first point that may be played, and passes when it is asked to."""
    asked = []

    def first(seen: gv.Observations, rng: np.random.Generator) -> Any:
        asked.append(seen.to_play.copy())
        return seen.mask.argmax(axis=1)

    envs = make_vec("go:size=3", 3, opponent=first, colour="black")
    envs.reset(seed=1)
    assert not asked
    envs.step(np.array([8, 7, 6]))
    assert [to_play.tolist() for to_play in asked] == [[gv.WHITE] * 3]
    with pytest.raises(IllegalMove):
        envs.step(np.array([8, 8, 8]))
    assert [game.position.stones.count(0) for game in envs._batch.games()] == [7, 7, 7]


def test_bots_play_many_games_too_one_after_the_other() -> None:
    envs = make_vec("pentalath", 2, opponent="greedy", vectorization_mode="sync")
    seen, _ = envs.reset(seed=1)
    seen, *_ = envs.step(seen["action_mask"].argmax(axis=1))
    assert seen["planes"].shape[0] == 2
