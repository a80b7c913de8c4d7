"""Ranges of numbers, and the message for a number outside."""

from math import inf, nan

import pytest

from gtp_variants.base.number_ranges import NumberRange, find_faults

VAST = NumberRange(0, 2.0**63, is_vast=True)


@pytest.mark.parametrize(
    ("allowed", "within", "outside"),
    [
        (NumberRange(0, 1), (0, 0.5, 1), (-0.1, 1.1, nan, inf)),
        (NumberRange(0, 1, is_more=True), (1e-9, 1), (0,)),
        (NumberRange(16, 512, step=16), (16, 512), (0, 8, 40, 528)),
        (NumberRange(0.1, 1, may_be_off=True), (0, 0.1, 1), (0.05,)),
        (NumberRange(1), (1, 10**400), (0, inf, nan)),
    ],
)
def test_numbers_are_within_or_not(allowed: NumberRange, within: tuple[float, ...], outside: tuple[float, ...]) -> None:
    assert all(value in allowed for value in within)
    assert not any(value in allowed for value in outside)


@pytest.mark.parametrize(
    ("allowed", "value", "said"),
    [
        (NumberRange(0, 1), inf, "0 to 1"),
        (NumberRange(0, 1000, is_more=True), 0, "more than 0, at most 1000"),
        (NumberRange(0.01, 1, may_be_off=True), 2, "0, or 0.01 to 1"),
        (NumberRange(16, 512, step=16), 17, "a multiple of 16 from 16 to 512"),
        (NumberRange(0, 4096, step=1), 0.5, "a whole number from 0 to 4096"),
        (NumberRange(0, 2**64 - 1), -1, "0 to 18446744073709551615"),
        # Of a vast range only the end that was missed.
        (VAST, -1, "0 or more"),
        (VAST, 2**64, "0 to 9.223372e+18"),
        (VAST, inf, "a finite number"),
        (NumberRange(0, is_more=True), -1, "more than 0"),
        (NumberRange(1e-9), 0, "more than 0"),
    ],
)
def test_an_error_names_the_expected_range(allowed: NumberRange, value: float, said: str) -> None:
    assert value not in allowed
    assert allowed.expectation(value) == said


def test_every_fault_is_found_by_its_name() -> None:
    ranges = {"share": NumberRange(0, 1), "count": NumberRange(1), "size": NumberRange(1, 9)}
    values = {"share": 1.25, "count": 0, "size": None, "other": -1}
    assert list(find_faults(values, ranges)) == [
        ("share", "1.25: expected 0 to 1"),
        ("count", "0: expected 1 or more"),
    ]
