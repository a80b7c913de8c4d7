"""The options of a game: how each key of a SPEC is read, checked, printed and explained."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

from gtp_variants.errors import SpecError
from gtp_variants.rules.actions import RED
from gtp_variants.rules.languages import LANGUAGES, format_list, format_number, sentence
from gtp_variants.rules.rule_sets import RULE_SETS

Value = int | float | bool | str | None
Default = Value | Callable[[dict[str, Value]], Value]

# The key of a SPEC that names a set of options.
RULES_KEY = "rules"

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# The largest number allowed, because a float of this size still holds thousandths of points and seconds.
_LARGEST = 10**12
SIZE_LIMIT = 25
REPETITIONS = ("none", "simple", "psk", "ssk", "nssk")


_sentence = partial(sentence, "options")


def spec_error(key: str, **parts: object) -> SpecError:
    """Return the exception for a bad SPEC, with its text in each language. `parts` may be functions of a language."""
    texts = {
        lang: _sentence(key, lang, **{name: part(lang) if callable(part) else part for name, part in parts.items()})
        for lang in LANGUAGES
    }
    return SpecError(texts["en"], texts)


def did_you_mean(word: str, known: Sequence[str], lang: str = "en") -> str:
    """Return a hint with the known word nearest to `word`, or "" if no known word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return _sentence("did you mean", lang, word=near[0]) if near else ""


@dataclass(frozen=True, slots=True)
class Option:
    """One key of a SPEC."""

    key: str
    kind: str  # "int", "float", "bool", "choice" or "text"
    default: Default  # may be a function of the chosen options and the options before this one
    meaning: str
    choices: tuple[str, ...] = ()  # the words of a choice
    low: int | None = None  # bounds of an int
    high: int | None = None
    none: bool = False  # True if the word `none` is allowed
    # Checks and normalises a text. Raises ValueError with what is expected, or SpecError with texts in each language.
    read: Callable[[str], str] | None = None
    each: bool = False  # True if each colour may have an int of its own, in the turn order, as in `40/40/30`
    later: bool = False  # True if newer than some saved SPECs: then `spec` leaves the option out at its default
    wording: bool = False  # True if the option changes only texts, not the game
    is_encoded: bool = True  # True if networks get its value as an input, False if they see only its effects

    def parse(self, text: str) -> Value:
        """Return the value that a text stands for. Raises SpecError for a text that is not allowed."""
        word = text.strip()
        if self.none and word.lower() == "none":
            return None
        try:
            return self._parse(word)
        except SpecError as error:
            raise spec_error("expected", option=self.key, text=text[:40], expected=error.reason) from None
        except ValueError as error:
            expected = str(error) or self.describe_values
            raise spec_error("expected", option=self.key, text=text[:40], expected=expected) from None

    def _parse(self, word: str) -> Value:
        if self.kind == "int":
            numbers = [self._parse_int(part) for part in (word.split("/") if self.each else [word])]
            return numbers[0] if len(set(numbers)) == 1 else "/".join(map(str, numbers))
        if self.kind == "float":
            return read_number(word)
        if self.kind == "bool":
            return {"true": True, "false": False}[word.lower()] if word.lower() in ("true", "false") else _refuse()
        if self.kind == "choice":
            return {choice.lower(): choice for choice in self.choices}.get(word.lower()) or _refuse()
        return self.read(word) if self.read else word

    def _parse_int(self, word: str) -> int:
        if not _INTEGER.fullmatch(word):
            raise ValueError
        value = int(word)
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise ValueError
        return value

    def default_after(self, before: dict[str, Value]) -> Value:
        """Return the default, given the chosen options and the options before this one."""
        return self.default(before) if callable(self.default) else self.default

    def applies(self, values: Mapping[str, Value]) -> bool:
        """Return False if other options replace this option, as `width` and `height` replace `size`."""
        return self.none or values[self.key] is not None

    def words(self) -> list[str]:
        """Return the words that this option accepts, or [] if it accepts only numbers or other texts."""
        return [*self.choices, *(("true", "false") if self.kind == "bool" else ()), *(("none",) if self.none else ())]

    def describe_values(self, lang: str = "en") -> str:
        """Return a description of the values that this option accepts."""
        texts = self.words()
        if self.kind == "float":
            texts = [_sentence("number", lang), *texts]
        elif self.kind == "int" and self.high is not None:
            texts = [_sentence("range", lang, low=self.low, high=self.high), *texts]
        elif self.kind == "int":
            each = [_sentence("of each", lang)] if self.each else []
            texts = [_sentence("at least", lang, low=self.low), *each, *texts]
        return format_list(texts, lang, "or") or _sentence("text", lang)

    @classmethod
    def choice(
        cls, key: str, choices: tuple[str, ...], meaning: str, *, later: bool = False, wording: bool = False
    ) -> Self:
        """Return an option whose value is one of `choices`, by default the first."""
        return cls(key, "choice", choices[0], meaning, choices=choices, later=later, wording=wording)

    @classmethod
    def size(cls, default: int) -> Self:
        return cls("size", "int", default, "points along a side of the square board", low=1, high=SIZE_LIMIT)

    @classmethod
    def komi(cls) -> Self:
        return cls("komi", "float", 7.5, "points White receives for moving second")

    @classmethod
    def repetition(cls, default: str, more: Mapping[str, str] | None = None) -> Self:
        """Return the option `repetition` of a scored game, with the choices in `more` and their meanings added."""
        return cls(
            "repetition",
            "choice",
            default,
            "boards a stone may not recreate: none; simple: the board before the last move; psk: any board; "
            "ssk: any board with the same side to move; nssk: any board that the same player made by placing a stone"
            + "".join(f"; {word}: {meaning}" for word, meaning in (more or {}).items()),
            choices=(*REPETITIONS, *(more or ())),
        )

    @classmethod
    def dead(cls, default: str | None = None) -> Self:
        return cls(
            "dead",
            "choice",
            default,
            "none: every stone on the board counts; agreed: chains that both sides call dead are taken off first; "
            "judged: chains that a search calls dead",
            choices=("agreed", "judged"),
            none=True,
        )

    @classmethod
    def supply(cls, pieces: str) -> Self:
        """Return the option `supply` for a game in which the pieces, called `pieces`, can run out."""
        meaning = (
            f"maximum {pieces} of one colour on the board, or one maximum per colour in turn order, such as 40/40/30"
        )
        return cls("supply", "int", None, meaning, low=1, none=True, each=True)

    @classmethod
    def lang(cls) -> Self:
        return cls("lang", "choice", "en", "language of sentences and announcements", choices=LANGUAGES, wording=True)


def _refuse() -> Value:
    raise ValueError


def read_number(word: str) -> float:
    """Return a number of points or seconds from decimal notation, with or without an exponent.

    Raises SpecError for any other text, including infinities and NaN, and for numbers that are too large.
    """
    if not _DECIMAL.fullmatch(word):
        raise spec_error("decimal")
    value = float(word)
    if abs(value) > _LARGEST:
        raise spec_error("decimal range")
    return int(value) if value == int(value) else value


def text_of(value: Value) -> str:
    """Return a value as it is written in a SPEC."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_number(value)
    return str(value)


class Values(Mapping[str, Value]):
    """The value of each option of one configured game, by key."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str) -> Value:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, key: str) -> str:
        """Return the value of an option that is a word or a text; "None" for None."""
        return str(self._values[key])

    def number(self, key: str) -> int:
        """Return the value of an option that is a whole number."""
        value = self._values[key]
        assert isinstance(value, int)
        return value


@dataclass(frozen=True, slots=True)
class OptionSet:
    """The keys of a game's SPEC, in order."""

    options: tuple[Option, ...]
    shorthands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # keys that set several options at once
    rule_sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # sets of options by name, for `rules`
    fit: Callable[[dict[str, Value]], dict[str, Value]] | None = None  # adjusts options that depend on each other
    excluded: Mapping[str, str] = field(default_factory=dict)  # key of another game -> key of the refusal

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)

    def __getitem__(self, index: int) -> Option:
        return self.options[index]

    @property
    def group_keys(self) -> tuple[str, ...]:
        """The keys that set several options: the shorthands and `rules`."""
        return (*self.shorthands, *((RULES_KEY,) if self.rule_sets else ()))

    def resolve(self, game: str, given: Mapping[str, str]) -> Values:
        """Return the value of every option, in order. Raises SpecError for an unknown or excluded key or bad value."""
        given = self.expand(given)
        keys = [option.key for option in self.options]
        for key in given:
            if key in self.excluded:
                raise spec_error(self.excluded[key], option=key, game=game)
            if key not in keys:
                known = [*keys, *self.group_keys]
                hint = partial(did_you_mean, key, known)
                raise spec_error("unknown key", option=key[:40], game=game, known=" ".join(known), hint=hint)
        chosen = {option.key: option.parse(given[option.key]) for option in self.options if option.key in given}
        for option in self.options:
            if option.key not in chosen:
                chosen[option.key] = option.default_after(chosen)
        ordered = {key: chosen[key] for key in keys}
        return Values(self.fit(ordered) if self.fit else ordered)

    def expand(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the options with shorthands and sets expanded. Options override shorthands, which override sets.

        Raises SpecError for an unknown set.
        """
        expanded: dict[str, str] = {}
        if self.rule_sets and RULES_KEY in given:
            name = fold_rule_set(given[RULES_KEY])
            chosen = self.rule_sets.get(name) or (RULE_SETS.get(name) if self.excluded else None)
            if chosen is None:
                expected = partial(format_list, [*self.rule_sets], last="or")
                raise spec_error("expected", option=RULES_KEY, text=name[:40], expected=expected)
            expanded.update(chosen)
        for key, text in given.items():
            expanded.update(dict.fromkeys(self.shorthands.get(key, ()), text))
        return expanded | {key: text for key, text in given.items() if key not in self.group_keys}

    def find_changes(self, values: Values) -> dict[str, Value]:
        """Return the options whose values differ from their defaults."""
        before: dict[str, Value] = {}
        changes: dict[str, Value] = {}
        for option in self.options:
            default = option.default_after(before)
            before[option.key] = value = values[option.key]
            if value != default and option.applies(values):
                changes[option.key] = value
        return changes

    def spec(self, game: str, values: Values) -> str:
        """Return the SPEC with every option that applies, in order; `later` options only if not at their defaults."""
        shown = (option for option in self.options if option.applies(values))
        printed = (o.key for o in shown if not (o.later and values[o.key] == o.default))
        return f"{game}:" + ",".join(f"{key}={text_of(values[key])}" for key in printed)

    def short_spec(self, game: str, values: Values) -> str:
        """Return the shortest SPEC for these values, without defaults."""
        texts = [f"{key}={text_of(value)}" for key, value in self.find_changes(values).items()]
        return ":".join(filter(None, (game, ",".join(texts))))


def fold_rule_set(name: str) -> str:
    """Return the name of a set of options in lower case, with "-" between its words."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def rule_options(named: Collection[str] = ()) -> tuple[Option, ...]:
    """Return the options for rules of Go that differ between countries; every SPEC names the options in `named`."""
    rule = partial(Option, is_encoded=False)
    found = (
        rule("suicide", "bool", False, "a stone may remove its own chain of several stones"),
        rule(
            "scoring",
            "choice",
            "area",
            "area: stones and surrounded points; territory: surrounded points and prisoners",
            choices=("area", "territory"),
        ),
        rule("handicap_bonus", "choice", "0", "points White receives for N handicap stones", choices=("0", "N", "N-1")),
        rule("komi_in_handicap", "bool", True, "the komi also holds in handicap games; otherwise it is 0.5 there"),
        rule("button", "bool", False, "the first pass gains half a point and does not count towards the end"),
    )
    return tuple(replace(option, later=option.key not in named) for option in found)


def share_supply(values: Values, colours: Sequence[int]) -> tuple[int, ...] | None:
    """Return `Rules.supply` for option `supply` (None: no limit). Raises SpecError for too many or few numbers."""
    if values["supply"] is None:
        return None
    numbers = [int(part) for part in values.text("supply").split("/")]
    if len(numbers) == 1:
        numbers *= len(colours)
    if len(numbers) != len(colours):
        raise spec_error("supply numbers", text=values.text("supply"), count=len(colours))
    shared = dict(zip(colours, numbers, strict=True))
    return tuple(shared.get(colour, 0) for colour in range(RED + 1))
