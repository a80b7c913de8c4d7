"""What an engine says of its move, in whatever form, and what is no such thing."""

import pytest

from gtp_variants.gtp.client.analysis import read_analysis


def test_the_last_line_is_read_as_json_or_as_info() -> None:
    assert read_analysis('info move A1\n{"winrate": 0.25, "visits": 7}') == {"winrate": 0.25, "visits": 7}
    assert read_analysis("info move C3 visits 30 winrate 0.6 order 0 pv C3 D4 info move D4 visits 10 order 1") == {
        "winrate": 0.6,
        "visits": 40,
        "moves": [{"move": "C3", "visits": 30, "winrate": 0.6, "pv": "C3 D4"}, {"move": "D4", "visits": 10}],
    }


@pytest.mark.parametrize("noise", ["", "thinking", "[1]", "[" * 200_000, '{"winrate":' * 200_000])
def test_anything_else_is_no_analysis(noise: str) -> None:
    assert read_analysis(noise) == {}
