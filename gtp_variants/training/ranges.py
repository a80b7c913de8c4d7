"""What the numbers of a training may be: one table for its settings and for the options of the command."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers that may be given: from `least`, or only more than that, to `most`.

    They are multiples of `step`, if there is one; 0 may be given, too, where it `may_be_off`.
    """

    least: float
    most: float
    is_more: bool = False
    step: int | None = None
    may_be_off: bool = False

    def __str__(self) -> str:
        multiple = f"a multiple of {self.step} from " if self.step else ""
        least, most = _say(self.least), _say(self.most)
        span = f"more than {least}, at most {most}" if self.is_more else f"{least} to {most}"
        return f"{'0, or ' if self.may_be_off else ''}{multiple}{span}"

    def __contains__(self, value: float) -> bool:
        if self.may_be_off and value == 0:
            return True
        is_inside = self.least <= value <= self.most and not (self.is_more and value == self.least)
        return is_inside and not (self.step and value % self.step)


def find_faults(values: Mapping[str, float | None], ranges: Mapping[str, NumberRange]) -> Iterator[tuple[str, str]]:
    """Names of values that are not within their ranges, with what was found and what was expected.

    None says that there is no value.
    """
    for name, allowed in ranges.items():
        value = values.get(name)
        if value is not None and value not in allowed:
            yield name, f"{_say(value)}: expected {allowed}"


def _say(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"
