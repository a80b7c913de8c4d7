from collections.abc import Mapping
from dataclasses import replace

import pytest

from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.training_stages import TrainingStage, describe_training, training_stages
from gtp_variants.ai.nets.weight_choice import FOLDER


def test_stages_list_the_starting_network_first() -> None:
    network = Network.load(FOLDER / "aleago.safetensors")
    *before, last = training_stages(network)
    assert [stage.game for stage in before] == ["go", "go", "go", "aleago"]
    assert before[-1].specs == ("aleago:size=9,dice=1d4", "aleago:size=13")
    assert {"aleago:size=9,dice=1d6", "aleago:size=9,dice=1d4,komi=0.5"} < set(last.specs)
    assert last.games == int(network.training["games"])
    assert before[0] == TrainingStage(
        "go", ("go:size=9", "go:size=9,komi=6.5", "go:size=9,komi=5.5"), 18_624, 2_012_281, 0.95
    )


def test_a_network_lists_all_stages_behind_its_start() -> None:
    first = with_training({"specs": "go:size=9", "games": "3", "positions": "100", "hours": "0.5"})
    second = with_training({"specs": "go:size=13", "positions": "7", "start": describe_training(first)})
    assert training_stages(second) == [
        TrainingStage("go", ("go:size=9",), 3, 100, 0.5),
        TrainingStage("go", ("go:size=13",), 0, 7, 0.0),
    ]


@pytest.mark.parametrize(
    "training",
    [
        {},
        {"games": "many", "positions": "1e400", "hours": "nan"},
        {"positions": ""},
        {"by": "hand"},
    ],
)
def test_missing_stage_fields_keep_their_defaults(training: Mapping[str, str]) -> None:
    assert training_stages(with_training(training)) == [TrainingStage("go")]


@pytest.mark.parametrize("start", ["", " ", "go", "start=go start="])
def test_a_beginning_in_other_words_breaks_nothing(start: str) -> None:
    stages = training_stages(with_training({"positions": "7", "start": start}))
    assert stages[-1] == TrainingStage("go", positions=7)
    assert not any(stage.positions for stage in stages[:-1])


def with_training(training: Mapping[str, str]) -> Network:
    return replace(Network.load(FOLDER / "go.safetensors"), training=training)
