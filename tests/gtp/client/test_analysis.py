"""Reading an engine's analysis of its move in every format, and ignoring other lines."""

import pytest

from gtp_variants.gtp.client.peer import read_analysis


def test_the_last_line_is_read_as_json_or_as_info() -> None:
    assert read_analysis('info move A1\n{"winrate": 0.25, "visits": 7}') == {"winrate": 0.25, "visits": 7}
    assert read_analysis("info move C3 visits 30 winrate 0.6 order 0 pv C3 D4 info move D4 visits 10 order 1") == {
        "winrate": 0.6,
        "visits": 40,
        "moves": [{"move": "C3", "visits": 30, "winrate": 0.6, "pv": "C3 D4"}, {"move": "D4", "visits": 10}],
    }


@pytest.mark.parametrize(
    ("shares", "read"),
    [
        ("winrate 9512 prior 2000 lcb 9100", (0.9512, 0.2)),
        ("winrate 10000 prior 10000 lcb 10000", (1, 1)),
        ("winrate 1 prior 2000 lcb 0", (0.0001, 0.2)),
        ("winrate 0 prior 1 lcb 0", (0, 0.0001)),
        ("winrate 0.951200 prior 0.200000 lcb 0.910000", (0.9512, 0.2)),
        ("winrate 1.000000 prior 0.000100 lcb 1.000000", (1, 0.0001)),
        # As KataGo writes numbers.
        ("winrate 1 prior 0.25 lcb 1", (1, 0.25)),
        ("winrate 0 prior 2.5e-05 lcb -0.1", (0, 2.5e-05)),
    ],
)
def test_shares_of_both_dialects_are_read_as_fractions(shares: str, read: tuple[float, float]) -> None:
    note = read_analysis(f"info move C3 visits 30 {shares} order 0 pv C3 D4")
    assert (note["winrate"], note["moves"][0]["prior"]) == pytest.approx(read)
    assert note["moves"][0]["winrate"] == note["winrate"]


@pytest.mark.parametrize("noise", ["", "thinking", "[1]", "[" * 200_000, '{"winrate":' * 200_000])
def test_other_lines_are_not_read_as_analysis(noise: str) -> None:
    assert read_analysis(noise) == {}
