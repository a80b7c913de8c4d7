"""Weights by game: which file judges positions, what is refused, and what a search with one finds."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets import weight_choice
from gtp_variants.ai.nets.adaptation import adapt_to_rules
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.encoding.features import option_flags
from gtp_variants.ai.nets.encoding.planes import TURN_PLANES
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.raw_evaluation import evaluate_position
from gtp_variants.ai.nets.reference import evaluate
from gtp_variants.ai.nets.training_stages import training_stages
from gtp_variants.ai.nets.weight_choice import (
    board_range,
    choose_network,
    find_weights,
    instruction_set,
    list_judging_weights,
    reason_without_network,
)
from gtp_variants.cli.engines.bench import rates
from gtp_variants.rules.games.go import GoRules
from tests.ai.nets.networks import random_network, shares_of

if load_native("gtp_variants.ai.kernel._kernel") is None:
    pytest.skip("the native kernel was not built", allow_module_level=True)

GO, PENTALATH, PHANTOM = (gv.parse(spec) for spec in ("go:size=5", "pentalath", "phantom:size=5"))


def small_network(rules: gv.Rules, seed: int = 3) -> Network:
    return random_network(Encoder(rules), seed, 16, 2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package's weight files of Go."""
    monkeypatch.setattr(weight_choice, "FOLDER", tmp_path)
    monkeypatch.setattr(weight_choice, "_FAST_ENOUGH", ("avx512-vnni", "avx-vnni", "avx2", "neon"))
    small_network(GO).save(tmp_path / "go.safetensors")
    return tmp_path


def test_weights_are_found_by_game_and_players(folder: Path) -> None:
    assert find_weights(GO) == folder / "go.safetensors"
    # Boards that are imagined in Go Fantôme are judged as Go.
    assert find_weights(PHANTOM) == folder / "go.safetensors"
    assert find_weights(PENTALATH) is None
    three = gv.parse("pentalath:players=3")
    small_network(PENTALATH).save(folder / "pentalath.safetensors")
    assert find_weights(three) is None
    small_network(three).save(folder / "pentalath-3.safetensors")
    assert find_weights(three) == folder / "pentalath-3.safetensors"
    assert find_weights(PENTALATH) == folder / "pentalath.safetensors"


def test_the_network_trained_on_the_nearest_board_size_is_chosen(folder: Path) -> None:
    for name, specs in (("go", "go:size=4 go:size=5"), ("go-large", "go:size=5 go:size=9")):
        replace(small_network(GO), training={"specs": specs}).save(folder / f"{name}.safetensors")
    found = {size: find_weights(gv.parse(f"go:size={size}")) for size in (3, 5, 6, 9, 19)}
    assert {size: file and file.stem for size, file in found.items()} == {
        3: "go",
        5: "go",
        6: "go-large",
        9: "go-large",
        19: "go-large",
    }
    assert find_weights(gv.parse("phantom:size=9")) == folder / "go-large.safetensors"
    assert board_range(GO) == (7, 121)
    assert not reason_without_network(gv.parse("go:size=3"))
    assert not reason_without_network(gv.parse("go:size=11"))
    assert (
        reason_without_network(gv.parse("go:size=13"))
        == "its network is for boards of 7 to 121 points, this board has 169"
    )
    assert [file.stem for file in list_judging_weights()] == ["go", "go-large"]


def test_the_network_trained_with_the_nearest_komi_is_chosen(folder: Path) -> None:
    for name, specs in (
        ("go", "go:size=5,komi=7.5 go:size=4,komi=5.5"),
        ("go-komi", "go:size=5,komi=7.5 go:size=5,komi=0.5 go:size=5,komi=20.5"),
        ("go-large", "go:size=9,komi=3.5"),
    ):
        replace(small_network(GO), training={"specs": specs}).save(folder / f"{name}.safetensors")
    found = {komi: find_weights(gv.parse(f"go:size=5,komi={komi}")) for komi in (-6.5, 0.5, 2.5, 3, 3.5, 7.5, 9, 14.5)}
    # What is as near to both is the first's.
    near = {-6.5: "go-komi", 0.5: "go-komi", 2.5: "go-komi", 3: "go", 3.5: "go", 7.5: "go", 9: "go", 14.5: "go-komi"}
    assert {komi: file and file.stem for komi, file in found.items()} == near
    assert find_weights(gv.parse("phantom:size=5,komi=0.5")) == folder / "go-komi.safetensors"
    # A board that another learnt on matters more.
    assert find_weights(gv.parse("go:size=9,komi=20.5")) == folder / "go-large.safetensors"
    assert [file.stem for file in list_judging_weights()] == ["go", "go-komi", "go-large"]


def test_a_board_gets_the_file_to_which_it_is_not_strange(folder: Path) -> None:
    # 36 points are 2.25 times 16, and 81 are 2.25 times 36: a smaller board is less strange than a larger one.
    for name, specs in (("go", "go:size=4"), ("go-large", "go:size=9")):
        replace(small_network(GO), training={"specs": specs}).save(folder / f"{name}.safetensors")
    assert find_weights(gv.parse("go:size=5")) == folder / "go.safetensors"
    assert find_weights(gv.parse("go:size=6")) == folder / "go-large.safetensors"
    assert not reason_without_network(gv.parse("go:size=6"))


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("go:size=9", "go"),
        ("go:size=13", "go"),
        ("go:size=14", "go-large"),
        ("go:size=19", "go-large"),
        ("go:size=9,komi=6.5", "go"),
        ("go:size=9,komi=0.5", "go-komi"),
        ("go:size=13,komi=14.5", "go-komi"),
        ("go:size=19,komi=0.5", "go-large"),
    ],
)
def test_the_package_has_networks_for_large_boards_and_for_other_komi_of_go(spec: str, name: str) -> None:
    # What a seat imagines is judged without a teacher.
    for rules, expected in ((gv.parse(spec), name), (gv.parse(spec.replace("go", "phantom")), f"{name}-self")):
        file = find_weights(rules)
        assert file is not None
        assert file.stem == expected
        assert adapt_to_rules(Network.load(file), rules, name)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("go:size=9", "go-self"),
        ("go:size=13", "go-self"),
        ("go:size=9,komi=3.5", "go-komi-self"),
        ("go:size=19", "go-large-self"),
    ],
)
def test_the_package_has_networks_that_learnt_from_themselves_alone(spec: str, name: str) -> None:
    file = find_weights(gv.parse(spec), "self")
    assert file is not None
    assert file.stem == name
    stages = training_stages(Network.load(file))
    assert not any(stage.labels or stage.teacher for stage in stages)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("go", [134_400, 234_240]),
        ("go-komi", [134_400, 234_240, 99_840]),
        ("go-large", [134_400, 234_240, 81_920]),
    ],
)
def test_the_taught_networks_of_the_package_name_their_teacher(name: str, labels: list[int]) -> None:
    stages = training_stages(Network.load(weight_choice.FOLDER / f"{name}.safetensors"))
    taught = [(each, "g170-b6c96-s175395328-d26788732") for each in labels]
    assert [(stage.labels, stage.teacher) for stage in stages[-len(labels) :]] == taught
    assert not any(stage.labels for stage in stages[: -len(labels)])


def test_a_network_that_learnt_from_itself_alone_is_chosen_by_name(folder: Path) -> None:
    assert find_weights(GO, "self") == folder / "go.safetensors"
    taught = {"specs": "go:size=5,komi=7.5", "labels": "1280", "teacher": "katago"}
    replace(small_network(GO), training=taught).save(folder / "go.safetensors")
    alone = replace(small_network(GO, seed=5), training={"specs": "go:size=5,komi=7.5"})
    alone.save(folder / "go-self.safetensors")
    replace(small_network(GO), training={"specs": "go:size=9"}).save(folder / "go-large.safetensors")
    assert find_weights(GO) == folder / "go.safetensors"
    assert find_weights(GO, "self") == find_weights(PHANTOM) == folder / "go-self.safetensors"
    assert find_weights(gv.parse("go:size=9"), "self") == folder / "go-large.safetensors"
    # Of two files for the same board, the taught one is chosen.
    replace(small_network(GO), training=taught).save(folder / "go-komi.safetensors")
    alone.save(folder / "go.safetensors")
    assert find_weights(GO) == folder / "go-komi.safetensors"
    assert find_weights(GO, "self") == folder / "go-self.safetensors"
    replace(alone, training={"specs": "go:size=9"}).save(folder / "go-large-self.safetensors")
    assert find_weights(gv.parse("go:size=9"), "self") == folder / "go-large-self.safetensors"
    chosen = choose_network(GO, "self")
    assert chosen is not None
    assert (chosen.training, chosen.tensors) == (alone.training, alone.tensors)
    with pytest.raises(gv.RecordError, match="self: No such file"):
        weight_choice.choose_hidden_network(PHANTOM, "self")


def test_the_package_says_why_it_uses_no_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_network(PENTALATH, "auto") is None
    assert reason_without_network(PENTALATH) == "the package has no weights for this game"
    monkeypatch.setattr(weight_choice, "instruction_set", lambda: "plain")
    assert choose_network(GO, "auto") is None
    assert (
        reason_without_network(GO) == "networks run no faster than playouts with this processor's instructions (plain)"
    )


def test_slower_instructions_may_be_chosen_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from gtp_variants.ai.kernel._kernel import instruction_sets
    from gtp_variants.ai.nets.kernel_network import kernel_network

    network, rules = small_network(GO), GO
    said = []
    for name in instruction_sets():
        monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", name)
        assert instruction_set() == kernel_network(network).instruction_set == name
        said.append(evaluate_position(network, rules, rules.start()))
    assert all(each == said[0] for each in said)
    monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", "mmx")
    with pytest.raises(gv.ConfigError, match=r"INSTRUCTIONS=mmx: expected one of plain.*, which this processor has"):
        instruction_set()


def test_a_board_of_quite_another_size_than_it_learnt_on_is_searched_without(folder: Path) -> None:
    small = replace(small_network(GO), training={"specs": "go:size=4 go:size=5"})
    small.save(folder / "go.safetensors")
    assert not reason_without_network(gv.parse("go:size=6"))
    assert (
        reason_without_network(gv.parse("go:size=9"))
        == "its network is for boards of 7 to 37 points, this board has 81"
    )
    assert not reason_without_network(gv.parse("go:size=3"))
    assert (
        reason_without_network(gv.parse("go:size=2")) == "its network is for boards of 7 to 37 points, this board has 4"
    )


def test_a_network_of_another_game_is_refused_with_both_shapes(folder: Path) -> None:
    with pytest.raises(gv.ConfigError, match="weights of go, expected pentalath"):
        choose_network(PENTALATH, folder / "go.safetensors")
    # What a seat imagines are positions of Go.
    with pytest.raises(gv.ConfigError, match="weights of pentalath, expected go"):
        choose_network(PHANTOM, small_network(PENTALATH))
    with pytest.raises(gv.ConfigError, match="network=5: expected auto, none, a file or a network"):
        gv.search(GO, GO.start(), playouts=1, network=5)  # type: ignore[arg-type]
    network = small_network(GO)
    other = replace(network, shape=replace(network.shape, taps=7))
    with pytest.raises(gv.ConfigError, match="7 taps and 2 colours, expected 9 and 2"):
        adapt_to_rules(other, GO, "theirs")
    mute = replace(network, shape=replace(network.shape, has_score=False))
    with pytest.raises(gv.ConfigError, match="theirs: weights with no score and owners, expected a score and owners"):
        adapt_to_rules(mute, GO, "theirs")
    more = replace(network, planes=(*network.planes, "ladders"), scales=(*network.scales, 1))
    with pytest.raises(gv.ConfigError, match="26 planes, of which this game has no ladders"):
        adapt_to_rules(more, GO, "theirs")
    with pytest.raises(gv.RecordError, match="No such file"):
        choose_network(GO, folder / "none.safetensors")


def test_a_game_that_shows_more_is_judged_as_before() -> None:
    # The moves before the last are not imagined with a position.
    network = small_network(GO).freeze_inputs([name for turn in TURN_PLANES[1:] for name in turn], {})
    wide = adapt_to_rules(network, PHANTOM, "go")
    assert {"refused", "own_age"} <= {*wide.planes} - {*network.planes}
    hidden = gv.parse("phantom:size=5,repetition=psk")
    position = gv.random_game(GO, seed=1, plies=8).position
    stones = {point: stone for point, stone in enumerate(position.stones) if stone}
    found = [
        gv.search(rules, rules.start(stones, position.mover), playouts=30, seed=1, network=judge, playout_weight=0)
        for rules, judge in ((GO, network), (hidden, wide))
    ]
    assert found[0].visits == found[1].visits


@pytest.mark.parametrize("dead", ["none", "agreed", "judged"])
def test_the_rule_for_dead_stones_changes_no_input(dead: str) -> None:
    # Self-play counts the board as it stands, so that the weights for other rules are meaningless.
    assert option_flags(gv.parse(f"go:size=9,dead={dead}")) == [0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("learnt", "spec"),
    [
        ("go:size=5", "go:size=5,repetition=simple"),
        ("go:size=5", "go:size=5,dead=agreed"),
        ("go:size=5", "phantom:size=5,atari=all"),
        ("rosette:n=2", "rosette:n=2,immunity=false"),
        ("rosette:n=2", "rosette:n=2,supply=20,repetition=psk"),
        ("aleago:size=5,dice=1d3", "aleago:size=5,dice=1d3,crystal_ball=true,star=false"),
        ("alter-igo:size=5", "alter-igo:size=5,white_passes=3,repetition=situation"),
        ("pentalath:players=3", "pentalath:players=3,swap=true,no_move=loss"),
    ],
)
def test_unlearnt_options_are_judged_like_learnt_ones(learnt: str, spec: str) -> None:
    known, rules = gv.parse(learnt), gv.parse(spec)
    network = replace(small_network(known), training={"specs": learnt})
    start = known.start()
    for position in (start, gv.random_game(known, seed=2, plies=5).position):
        if position.to_play == gv.CHANCE:
            continue
        stones = {point: stone for point, stone in enumerate(position.stones) if stone}
        found = [
            evaluate_position(adapt_to_rules(network, each, "theirs"), each, each.start(stones, position.mover))
            for each in (known, rules)
        ]
        assert found[0].values == found[1].values
        assert found[0].score == found[1].score
    # Without a word about what it learnt from, every weight counts.
    assert adapt_to_rules(small_network(known), known, "theirs") == small_network(known)


def test_options_that_it_has_learnt_count() -> None:
    network, simple = small_network(GO), gv.parse("go:size=5,repetition=simple")
    both = replace(network, training={"specs": "go:size=5 go:size=5,repetition=simple strange:size=5"})
    assert adapt_to_rules(both, simple, "theirs") == both
    values = [
        evaluate_position(adapt_to_rules(both, rules, "theirs"), rules, rules.start()).values for rules in (GO, simple)
    ]
    assert values[0] != values[1]


def test_numbers_are_read_as_they_are() -> None:
    network = replace(small_network(GO), training={"specs": "go:size=5"})
    assert adapt_to_rules(network, gv.parse("go:size=5,komi=0.5"), "theirs") == network


@pytest.mark.parametrize(
    "spec",
    ["go:size=5", "aleago:size=5,dice=1d3", "alter-igo:size=5", "rosette:n=2", "pentalath", "pentalath:players=3"],
)
def test_a_game_is_searched_from_move_to_move(spec: str) -> None:
    rules = gv.parse(spec)
    network = small_network(rules)
    game, dice = gv.Game(rules), gv.DiceStream("weights")
    thinker = gv.Thinker(rules, 1, network=network, playouts=40)
    assert thinker.network == network
    for _ in range(4):
        while game.position.to_play == gv.CHANCE:
            game.play(gv.CHANCE, dice.draw(game))
        found = thinker.think(game)
        assert found.playouts == 40
        assert sum(found.visits.values()) >= 40
        assert sum(found.values) == pytest.approx(1, abs=1e-4)
        assert (found.score is not None) == rules.is_scored
        assert len(found.ownership) == (len(rules.board) if rules.is_scored else 0)
        game.play(game.position.to_play, found.action)


@pytest.mark.slow
def test_a_search_ends_by_time_request_or_clear_choice() -> None:
    network = small_network(GO)
    thinker = gv.Thinker(GO, 1, network=network, seconds=0.05, cpu_time=True)
    assert thinker.think(GO.start()).playouts > 20
    asked: list[int] = []

    def stop(so_far: Callable[[], gv.SearchResult]) -> bool:
        asked.append(so_far().playouts)
        return False

    found = thinker.think(GO.start(), stop, seconds=60.0)
    assert len(asked) == 1
    assert found.playouts >= asked[0] > 0
    with pytest.raises(gv.ConfigError, match="gumbel: expected a limit of playouts"):
        gv.search(GO, GO.start(), network=network, seconds=1.0, gumbel=4)
    early = gv.search(GO, GO.start(), playouts=10**6, seed=1, network=network, stop_early=True, seconds=5.0)
    assert early.playouts < 10**6


def test_pondering_results_are_used_in_the_next_search() -> None:
    thinker = gv.Thinker(GO, 1, network=small_network(GO), playouts=50, memory_mb=2.0)
    thinker.ponder(GO.start())
    while thinker.is_pondering:
        pass
    # The memory is used up; more is found than was asked for.
    found = thinker.think(GO.start())
    assert sum(found.visits.values()) > 50 + found.playouts


def test_threads_share_a_tree() -> None:
    found = gv.search(GO, GO.start(), playouts=300, seed=1, network=small_network(GO), threads=3)
    assert found.playouts == 300 == sum(found.visits.values())


def test_auto_leaves_settings_of_the_other_search_alone(folder: Path) -> None:
    assert gv.Thinker(GO, network="auto", playouts=10).network is not None
    assert gv.Thinker(GO, network="auto", playouts=10, variant="plain").network is None
    with pytest.raises(gv.ConfigError, match="unknown setting"):
        gv.Thinker(GO, network=folder / "go.safetensors", variant="plain")


@pytest.mark.parametrize("spec", ["go:size=9", "go:size=5", "alter-igo", "phantom:size=5"])
def test_network_settings_are_accepted_before_auto_finds_a_network(spec: str) -> None:
    rules = gv.parse(spec)
    at = rules.start() if rules.is_open else rules.view([], gv.BLACK)
    settings: dict[str, Any] = {"gumbel": 4, "noise": 0.25, "temperature": 1.0, "batch": 2, "lcb_weight": 0.0}
    gv.check_settings({"playouts": 10, **settings})
    assert gv.search(rules, at, playouts=10, network="auto", **settings).playouts == 10
    for wrong, why in (({"gumble": 4}, "gumble: unknown setting"), ({"noise": 2}, "noise=2: expected 0 to 1")):
        with pytest.raises(gv.ConfigError, match=why):
            gv.check_settings({**settings, **wrong})
        with pytest.raises(gv.ConfigError, match=why):
            gv.search(rules, at, playouts=10, network="auto", **{**settings, **wrong})
    with pytest.raises(gv.ConfigError, match="gumbel: needs a search with a network, rave one without"):
        gv.check_settings({"gumbel": 4, "rave": True})
    with pytest.raises(gv.ConfigError, match="gumbel: unknown setting"):
        gv.search(rules, at, playouts=10, gumbel=4)


def test_a_bots_spec_may_set_network_search_settings(folder: Path) -> None:
    given = "exploration=2.0,fpu_reduction=0.1,score_weight=0.05,exploration_growth=0.4"
    found = []
    for spec in (f"mcts:playouts=200,{given}", "mcts:playouts=200"):
        bot = gv.load_bot(spec)
        bot.sit(GO, gv.BLACK, "seed")
        bot.choose(GO.view(gv.Game(GO).heard(gv.BLACK), gv.BLACK), gv.Clock())
        found.append(getattr(bot, "found", None))
    assert found[0] is not None
    assert found[0] != found[1]
    thinker = gv.Thinker(GO, network="auto", playouts=10, fpu_reduction=0.1)
    assert getattr(thinker.settings, "fpu_reduction", None) == 0.1
    # Without a network they wait for one.
    assert gv.Thinker(gv.parse("alter-igo"), network="auto", playouts=10, fpu_reduction=0.1).network is None
    with pytest.raises(gv.ConfigError, match="fpu_reduction: needs a search with a network, rave one without"):
        gv.load_bot("mcts:fpu_reduction=0.1,rave=true")
    with pytest.raises(gv.ConfigError, match="needs a search with a network") as error:
        gv.load_bot("mcts:net=none,fpu_reduction=0.1,calibration=2.0,rave=true")
    assert len(error.value.faults) == 2


@pytest.mark.parametrize(
    ("spec", "given", "values"),
    [
        ("alter-igo:size=9", "", (0.4, 0.6)),
        ("alter-igo:size=9", ",contempt=0.2", (0.3, 0.7)),
        ("alter-igo:size=9", ",contempt=0", (0.5, 0.5)),
        ("go:size=9", "", (0.5, 0.5)),
        ("pentalath", ",contempt=0.5", (0.0, 1.0)),
        ("pentalath:players=3", ",contempt=0.5", (0.5, 0.5, 0.5)),
        ("alter-igo:size=9", ",contempt=0.1,net=none", (None, None)),
        ("alter-igo:size=9", ",contempt=0.1,rave=true", (None, None)),
    ],
)
def test_a_bot_has_a_draw_cost_whichever_colour_it_plays(
    spec: str, given: str, values: tuple[float | None, ...]
) -> None:
    rules = gv.parse(spec)
    for colour, expected in zip(rules.colours, values, strict=True):
        bot = gv.load_bot(f"mcts:playouts=5{given}")
        bot.sit(rules, colour, "seed")
        game = gv.Game(rules)
        while game.position.to_play != colour:
            game.play(game.position.to_play, next(iter(rules.legal(game.position))))
        bot.choose(rules.view(game.heard(colour), colour), gv.Clock())
        thinker = getattr(bot, "_thinker", None)
        assert thinker is not None
        assert getattr(thinker.settings, "draw_value", None) == expected


@pytest.mark.parametrize(("size", "weight"), [(9, 0.5), (13, 0.5), (14, 0.0), (19, 0.0)])
def test_games_of_go_are_played_on_at_random_where_that_helps(size: int, weight: float) -> None:
    thinker = gv.Thinker(gv.parse(f"go:size={size}"), network=small_network(GO), playouts=10)
    assert getattr(thinker.settings, "playout_weight", None) == weight


def test_a_game_derived_from_go_keeps_the_settings_that_it_declares() -> None:
    class NarrowGo(GoRules):
        profile = replace(GoRules.profile, network_search_defaults=lambda rules: {"exploration": 0.9})

    cases: list[tuple[Any, float]] = [(NarrowGo({"size": "9"}), 0.9), (GO, 1.3)]
    for rules, exploration in cases:
        thinker = gv.Thinker(rules, network=small_network(GO), playouts=10)
        assert getattr(thinker.settings, "exploration", None) == exploration


def test_nodes_visited_least_make_room(folder: Path) -> None:
    thinker = gv.Thinker(GO, 1, network=small_network(GO), memory_mb=1.0, threads=2)
    found = thinker.think(GO.start(), playouts=4000)
    assert found.playouts == 4000 == sum(found.visits.values())
    # The tree has grown since: it goes deeper than what the memory holds at once.
    assert sum(thinker.think(GO.start(), playouts=3000).visits.values()) == 7000


def test_hidden_positions_are_judged_as_go(folder: Path) -> None:
    game = gv.random_game(PHANTOM, seed=2, plies=8)
    view = PHANTOM.view(game.heard(game.position.to_play), game.position.to_play)
    found = gv.search(PHANTOM, view, playouts=200, seed=1, network="auto")
    assert found.playouts >= 150
    assert found.action in view.actions


def test_the_bot_for_hidden_stones_takes_a_network(folder: Path) -> None:
    bot = gv.load_bot(f"phantom:playouts=60,worlds=4,net={folder / 'go.safetensors'}")
    bot.sit(PHANTOM, gv.BLACK, "seed")
    view = PHANTOM.view(gv.Game(PHANTOM).heard(gv.BLACK), gv.BLACK)
    assert bot.choose(view, gv.Clock()) in view.actions
    found = getattr(bot, "found", None)
    assert isinstance(found, gv.SearchResult)
    assert len(found.priors) == 26


def test_hidden_stone_chances_depend_only_on_the_seats_news(tmp_path: Path) -> None:
    network = small_network(PHANTOM)
    network.save(tmp_path / "hidden.safetensors")
    game = gv.random_game(PHANTOM, seed=2, plies=12)
    colour = game.position.to_play
    view = PHANTOM.view(game.heard(colour), colour)
    chances = gv.hidden_stone_chances(PHANTOM, view, tmp_path / "hidden.safetensors")
    assert chances is not None
    assert chances == gv.hidden_stone_chances(PHANTOM, view, network)
    encoder = Encoder(PHANTOM)
    expected = shares_of(network, evaluate(network, encoder.taps, *encoder.encode_levels(view)))["hidden_stones"]
    for chance, stone, told in zip(chances, view.stones, expected, strict=True):
        assert chance == pytest.approx(0.0 if stone else told, abs=1e-5)
    assert gv.hidden_stone_chances(PHANTOM, view, "none") is None


def test_a_network_of_the_other_kind_is_refused(folder: Path) -> None:
    view = PHANTOM.view((), gv.BLACK)
    with pytest.raises(
        gv.ConfigError, match=r"expected a network that predicts hidden stones, got one that judges positions"
    ):
        gv.hidden_stone_chances(PHANTOM, view, folder / "go.safetensors")
    with pytest.raises(
        gv.ConfigError, match=r"expected a network that judges positions, got one that predicts hidden stones"
    ):
        choose_network(PHANTOM, small_network(PHANTOM))
    with pytest.raises(gv.ConfigError, match=r"go: expected a game with hidden stones"):
        gv.hidden_stone_chances(GO, view)
    with pytest.raises(gv.RecordError, match="No such file"):
        gv.hidden_stone_chances(PHANTOM, view, folder / "nowhere.safetensors")
    with pytest.raises(gv.NotationError, match="there is no home folder for ~nobodyhere"):
        gv.hidden_stone_chances(PHANTOM, view, "~nobodyhere/hidden.safetensors")


def test_a_wrong_file_for_hidden_stones_is_refused_where_nothing_is_hidden(folder: Path) -> None:
    small_network(PHANTOM).save(folder / "hidden.safetensors")
    for rules in (GO, PHANTOM):
        with pytest.raises(gv.RecordError, match="No such file"):
            gv.search(rules, rules.start(), playouts=2, seed=1, hidden_network=folder / "nowhere.safetensors")
        with pytest.raises(gv.ConfigError, match="got one that judges positions"):
            gv.search(rules, rules.start(), playouts=2, seed=1, hidden_network=folder / "go.safetensors")
        assert gv.search(rules, rules.start(), playouts=2, seed=1, hidden_network="auto").playouts == 2
    with pytest.raises(gv.ConfigError, match="phantom"):
        gv.search(GO, GO.start(), playouts=2, seed=1, hidden_network=folder / "hidden.safetensors")
    assert gv.search(PHANTOM, PHANTOM.start(), playouts=2, seed=1, hidden_network=folder / "hidden.safetensors")


def test_the_package_tells_hidden_stones_on_boards_that_are_not_strange_to_it(folder: Path) -> None:
    view = PHANTOM.view((), gv.BLACK)
    assert gv.hidden_stone_chances(PHANTOM, view) is None
    network = replace(small_network(PHANTOM), training={"specs": "phantom:size=5"})
    network.save(folder / "phantom-hidden-stones.safetensors")
    assert gv.hidden_stone_chances(PHANTOM, view) is not None
    larger = gv.parse("phantom:size=9")
    assert gv.hidden_stone_chances(larger, larger.view((), gv.BLACK)) is None
    other = gv.parse("phantom:size=5,captures=owner")
    assert gv.hidden_stone_chances(other, other.view((), gv.BLACK)) is None
    with pytest.raises(gv.ConfigError, match=r"a view of 81 points: expected 25, as on this board of phantom"):
        gv.hidden_stone_chances(PHANTOM, larger.view((), gv.BLACK))
    # It judges no positions: Go's network does.
    assert find_weights(PHANTOM) == folder / "go.safetensors"


def test_positions_are_imagined_where_a_network_expects_stones(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []

    def expect(worlds: gv.Worlds, chances: list[float]) -> None:
        told.extend(chances)

    monkeypatch.setattr(gv.Worlds, "expect", expect)
    network = replace(small_network(PHANTOM), training={"specs": "phantom:size=5"})
    network.save(folder / "phantom-hidden-stones.safetensors")
    game = gv.random_game(PHANTOM, seed=2, plies=8)
    colour = game.position.to_play
    view = PHANTOM.view(game.heard(colour), colour)
    chances = list(gv.hidden_stone_chances(PHANTOM, view) or ())
    gv.search(PHANTOM, view, playouts=20, seed=1, hidden_network="auto")
    assert told == chances
    told.clear()
    gv.search(PHANTOM, view, playouts=20, seed=1)
    assert not told
    for hidden_net, expected in (("auto", chances), ("none", [])):
        bot = gv.load_bot(f"phantom:playouts=20,worlds=2,hidden_net={hidden_net}")
        bot.sit(PHANTOM, colour, "seed")
        told.clear()
        for news in game.heard(colour):
            bot.hear(news)
        bot.choose(view, gv.Clock())
        assert told == expected


def test_bench_measures_a_network_whether_it_pays_or_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_choice, "_FAST_ENOUGH", ())
    rows = {row["what"]: row for row in rates(["go:size=5"], 0.01)}
    assert (rows["evaluations"]["instructions"], rows["evaluations"]["weights"]) == (
        instruction_set(),
        "go.safetensors",
    )
    assert (rows["playouts"]["instructions"], rows["playouts"]["weights"]) == ("", "")
    assert "evaluations" not in [row["what"] for row in rates(["pentalath"], 0.01)]


def test_play_with_a_network_needs_no_numpy(tmp_path: Path) -> None:
    small_network(GO, seed=4).save(tmp_path / "go.safetensors")
    code = f"""
import sys
import gtp_variants as gv
bot = gv.load_bot("mcts:playouts=20,net={tmp_path / "go.safetensors"}")
rules = gv.parse("go:size=5")

bot.sit(rules, gv.BLACK, "seed")
view = rules.view(gv.Game(rules).heard(gv.BLACK), gv.BLACK)
print(bot.choose(view, gv.Clock()) >= 0, bot.found.playouts > 0, len(bot.found.priors) == 26)
print([name for name in sys.modules if name.startswith("numpy")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True\n[]\n"


def test_ten_points_of_komi_are_about_ten_points_of_lead() -> None:
    leads = []
    for komi in (10.5, 20.5):
        rules = gv.parse(f"go:size=9,komi={komi}")
        if reason_without_network(rules):
            pytest.skip(f"{rules.spec}: {reason_without_network(rules)}")
        leads.append(gv.search(rules, rules.start(), playouts=100, seed=1).score)
    black, blacks_with_more = leads
    assert black is not None
    assert blacks_with_more is not None
    # Before a network had met other komi, nearly twice as many.
    assert black - blacks_with_more == pytest.approx(10, abs=3)
