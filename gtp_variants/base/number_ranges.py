"""Ranges for numbers that people enter, with descriptions for the errors about numbers outside them."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TypeVar

N = TypeVar("N", int, float)

# A `least` up to this value only prevents a division by 0, so errors say "more than 0".
_NEXT_TO_ZERO = 1e-6


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers from `least` to `most`, without infinity; with `is_more`, `least` itself is excluded.

    If `step` is given, only its multiples are allowed; 1 means whole numbers. `may_be_off` also allows 0. If the range
    `is_vast` or has no `most`, an error names only the bound that the number violates.

    >>> import gtp_variants as gv
    >>> seconds = gv.NumberRange(0, 3600, is_more=True)
    >>> 0 in seconds, str(seconds)
    (False, 'more than 0, at most 3600')
    >>> seconds.read("0.5")
    0.5
    >>> gv.NumberRange(1).expectation(0)
    '1 or more'
    """

    least: float
    most: float = inf
    is_more: bool = False
    step: int | None = None
    may_be_off: bool = False
    is_vast: bool = False

    def __str__(self) -> str:
        least, most = _say_bound(self.least), _say_bound(self.most)
        if self.most == inf:
            span = f"more than {least}" if self.is_more else f"{least} or more"
        else:
            span = f"more than {least}, at most {most}" if self.is_more else f"{least} to {most}"
        kind = {None: "", 1: "a whole number from "}.get(self.step, f"a multiple of {self.step} from ")
        return f"{'0, or ' if self.may_be_off else ''}{kind}{span}"

    def __contains__(self, value: float) -> bool:
        if self.may_be_off and value == 0:
            return True
        is_inside = self.least <= value <= self.most and value != inf and not (self.is_more and value == self.least)
        return is_inside and not (self.step and value % self.step)

    def expectation(self, value: float) -> str:
        """Return a description of what is expected instead of a value outside the range."""
        if not (self.is_vast or self.most == inf) or self.least <= value < inf:
            return str(self)
        if value == inf:
            return "a finite number"
        if value <= 0 < self.least <= _NEXT_TO_ZERO:
            return "more than 0"
        return f"more than {_say_bound(self.least)}" if self.is_more else f"{_say_bound(self.least)} or more"

    def read(self, text: str) -> float:
        """Return the number in a text. Raises ValueError for other texts and for numbers outside the range."""
        try:
            found = float(text)
        except ValueError:
            raise ValueError("expected a number") from None
        return self._check(found)

    def read_whole(self, text: str) -> int:
        """Return the whole number in a text. Raises ValueError for other texts and for numbers outside the range."""
        if not re.fullmatch(r"[+-]?[0-9]{1,99}", text):
            raise ValueError("expected a whole number")
        return self._check(int(text))

    def _check(self, value: N) -> N:
        if value not in self:
            raise ValueError(f"expected {self.expectation(value)}")
        return value


def read_ranges(file: Path) -> dict[str, NumberRange]:
    """Return the ranges in a TOML file, by name; each has the fields of NumberRange."""
    return {name: NumberRange(**told) for name, told in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def find_faults(values: Mapping[str, float | None], ranges: Mapping[str, NumberRange]) -> Iterator[tuple[str, str]]:
    """Yield the name of each value outside its range, with a sentence about value and range. None is no value."""
    for name, allowed in ranges.items():
        value = values.get(name)
        if value is not None and value not in allowed:
            shown = str(value) if isinstance(value, int) else f"{value:g}"
            yield name, f"{shown}: expected {allowed.expectation(value)}"


def _say_bound(value: float) -> str:
    """Return a bound as text: an int in full, a float with up to seven digits."""
    return str(value) if isinstance(value, int) else f"{value:.7g}"
