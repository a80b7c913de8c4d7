"""The table of the server's codes: each belongs to a reason that the bridge has."""

from gtp_variants.bridge.ogs.challenges import _SERVER
from gtp_variants.lang import sentences


def test_every_code_belongs_to_a_sentence_of_the_bridge() -> None:
    assert _SERVER["codes"].keys() <= sentences("bridge").keys()
    assert _SERVER["period_codes"].keys() <= {"fischer", "byoyomi", "canadian", "absolute", "simple"}
    assert _SERVER["codes"]["one_more"] == "too_many_games_for_player"
