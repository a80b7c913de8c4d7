"""The table of the server's codes: each belongs to a reason that the bridge has."""

from pathlib import Path

import pytest

from gtp_variants.bridge.core.policies import Refusal
from gtp_variants.bridge.ogs.challenges import _SERVER, proposal_of
from gtp_variants.lang import sentences
from tests.bridge.fakes.running_bridge import config_of


@pytest.mark.parametrize(
    ("game", "height", "fault"),
    [
        ("go:size=5", 7, None),
        ("go:size=5", 6, Refusal("bridge.size", {"sizes": "5, 7", "size": 6})),
        ("alter-igo:size=5", 7, Refusal("bridge.square", {"width": 5, "height": 7})),
        ("alter-igo:size=5", 5, None),
    ],
)
def test_rectangles_are_for_go(tmp_path: Path, game: str, height: int, fault: Refusal | None) -> None:
    data = {"user": {"id": 1, "username": "alpha"}, "challenge_id": 1, "width": 5, "height": height}
    config = config_of("ogs", 443, tmp_path, "challenges: {sizes: [5, 7]}\n", game=game)
    assert proposal_of(data, config).fault == fault


def test_every_code_belongs_to_a_sentence_of_the_bridge() -> None:
    assert _SERVER["codes"].keys() <= sentences("bridge").keys()
    assert _SERVER["period_codes"].keys() <= {"fischer", "byoyomi", "canadian", "absolute", "simple"}
    assert _SERVER["codes"]["one_more"] == "too_many_games_for_player"
