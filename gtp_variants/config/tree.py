"""Reads values out of a tree of dicts, lists and texts, and notes every fault with its path instead of raising."""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from gtp_variants.config import times

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
_WHOLE = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?(\d{1,9}(\.\d{0,9})?|\.\d{1,9})")
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_SHOWN = 40


class Tree:
    """Reads trees and notes in `faults` what is wrong with them; a reader answers None for what it cannot read."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def fault(self, path: str, sentence: str) -> None:
        """Note what is wrong at a path; the same is noted once."""
        fault = f"{path}: {sentence}" if path else sentence
        if fault not in self.faults:
            self.faults.append(fault)

    def mapping(self, tree: Any, path: str, known: Sequence[str]) -> dict[str, Any]:
        """The keys of a mapping that are known; the others are faults."""
        if tree is None:
            return {}
        if not isinstance(tree, dict):
            self.fault(path, f"expected a mapping with the keys {', '.join(known)}")
            return {}
        kept = {}
        for key, value in tree.items():
            if key in known:
                kept[key] = value
            else:
                self.fault(f"{path}.{key}" if path else str(key), f"unknown key; {nearest(str(key), known)}")
        return kept

    def text(self, value: Any, path: str) -> str | None:
        """A scalar as it stands there."""
        if isinstance(value, dict | list) or value is None:
            self.fault(path, "expected a text" if value is not None else "has no value")
            return None
        return str(value)

    def name(self, value: Any, path: str) -> str | None:
        """A text that files can be named after."""
        word = self.text(value, path)
        if word is not None and not _NAME.fullmatch(word):
            expected = "expected letters, digits and . _ + - only, as files are named after it"
            self.fault(path, f"{shown(word)}: {expected}")
            return None
        return word

    def whole(self, value: Any, path: str, low: int = 1) -> int | None:
        """A whole number of at least `low`."""
        word = self.text(value, path)
        if word is None:
            return None
        if not _WHOLE.fullmatch(word) or int(word) < low:
            self.fault(path, f"expected a whole number of {low} or more, not {shown(word)}")
            return None
        return int(word)

    def not_negative(self, value: Any, path: str) -> int | None:
        """A whole number of at least 0."""
        return self.whole(value, path, 0)

    def number(self, value: Any, path: str) -> float | None:
        """A decimal number."""
        word = self.text(value, path)
        if word is None:
            return None
        if not _NUMBER.fullmatch(word):
            self.fault(path, f"expected a number, not {shown(word)}")
            return None
        return float(word)

    def positive(self, value: Any, path: str) -> float | None:
        """A decimal number above 0."""
        found = self.number(value, path)
        if found is not None and found <= 0:
            self.fault(path, f"expected a number above 0, not {found:g}")
            return None
        return found

    def share(self, value: Any, path: str) -> float | None:
        """A probability of error: above 0, below 1/2."""
        found = self.number(value, path)
        if found is not None and not 0 < found < 0.5:
            self.fault(path, f"expected a number between 0 and 0.5, not {found:g}")
            return None
        return found

    def truth(self, value: Any, path: str) -> bool | None:
        """True or false, in any of the words people use."""
        word = self.text(value, path)
        if word is not None and word.lower() not in _TRUTH:
            self.fault(path, f"expected true or false, not {shown(word)}")
            return None
        return None if word is None else _TRUTH[word.lower()]

    def duration(self, value: Any, path: str) -> float | None:
        """Seconds."""
        found: float | None = self._by(times.duration, value, path)
        return found

    def control(self, value: Any, path: str) -> Any:
        """A time control."""
        return self._by(times.control, value, path)

    def _by(self, read: Callable[[str], Any], value: Any, path: str) -> Any:
        word = self.text(value, path)
        if word is None:
            return None
        try:
            return read(word)
        except ValueError as error:
            self.fault(path, f"{error}; not {shown(word)}")
            return None

    def choice(self, value: Any, path: str, choices: Sequence[str]) -> str | None:
        """One of several words."""
        word = self.text(value, path)
        if word is None or word in choices:
            return word
        self.fault(path, f"expected {either(choices)}, not {shown(word)}{_hint(word, choices)}")
        return None

    def listing(self, value: Any, path: str) -> list[Any]:
        """The items of a list; a single text is a list of one."""
        if isinstance(value, list):
            return value
        if isinstance(value, dict) or value is None:
            self.fault(path, "expected a list")
            return []
        return [value]

    def texts(self, value: Any, path: str) -> tuple[str, ...]:
        """The texts of a list."""
        found = (self.text(each, f"{path}[{index}]") for index, each in enumerate(self.listing(value, path)))
        return tuple(word for word in found if word is not None)

    def pairs(self, value: Any, path: str) -> dict[str, str] | None:
        """A mapping of texts to texts."""
        if not isinstance(value, dict):
            self.fault(path, "expected a mapping")
            return None
        found = {str(key): self.text(word, f"{path}.{key}") for key, word in value.items()}
        return {key: word for key, word in found.items() if word is not None}

    def take(self, tree: Mapping[str, Any], key: str, path: str, read: Callable[..., Any], default: Any) -> Any:
        """The value of an optional key, read; the default where it is missing or wrong."""
        if key not in tree:
            return default
        value = read(tree[key], f"{path}.{key}" if path else key)
        return default if value is None else value


def nearest(word: str, known: Sequence[str]) -> str:
    """What somebody who wrote an unknown word probably meant, else everything that is known."""
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"


def shown(word: str) -> str:
    """A text in a message, cut if it is long."""
    return repr(word[:_SHOWN])


def either(choices: Sequence[str]) -> str:
    """The words as people list them: a, b or c."""
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def _hint(word: str, choices: Sequence[str]) -> str:
    near = get_close_matches(word, choices, 1)
    return f"; did you mean {near[0]}?" if near else ""
