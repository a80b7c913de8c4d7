"""The options of a game: how each key of a SPEC is read, checked, printed and explained."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gtp_variants.errors import SpecError
from gtp_variants.rules.actions import RED
from gtp_variants.rules.languages import LANGUAGES, format_list, format_number, translate

Value = int | float | bool | str | None
Default = Value | Callable[[dict[str, Value]], Value]

# The key of a SPEC that names a set of options.
RULES_KEY = "rules"

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# The largest number allowed. A float of this size can still hold thousandths of points and seconds.
_LARGEST = 10**12

_SENTENCES = {
    "did you mean": ("; did you mean {word}?", " ; vouliez-vous dire {word} ?"),
    "no text": ("{given}: expected a SPEC such as go:size=9", "{given} : il faut un SPEC comme go:size=9"),
    "unknown game": ("unknown game {name!r}, known: {known}{hint}", "jeu inconnu {name!r}, il y a : {known}{hint}"),
    "unknown key": (
        "unknown key {option!r} for {game}, known: {known}{hint}",
        "option inconnue {option!r} de {game}, il y a : {known}{hint}",
    ),
    "no equals": ("{part!r}: expected key=value", "{part!r} : il faut option=valeur"),
    "given twice": ("{option}: given twice", "{option} : donné deux fois"),
    "expected": ("{option}={text}: expected {expected}", "{option}={text} : il faut {expected}"),
    "supply numbers": (
        "supply={text}: expected one number, or {count}, one for each colour",
        "supply={text} : il faut un seul nombre, ou {count}, un par couleur",
    ),
    "mapping rows": (
        "mapping: has {rows} rows, expected {size} for this board",
        "mapping : {rows} lignes, il en faut {size} sur ce plateau",
    ),
    "no total": (
        "overflow=reroll: no total of {dice} names a line of this board",
        "overflow=reroll : aucun total de {dice} ne désigne de ligne de ce plateau",
    ),
    "number": ("a number", "un nombre"),
    "decimal": ("a number such as 7.5", "un nombre comme 7.5"),
    "decimal range": ("a number from -1e12 to 1e12", "un nombre de -1e12 à 1e12"),
    "range": ("{low} to {high}", "un nombre de {low} à {high}"),
    "at least": ("{low} or more", "un nombre d'au moins {low}"),
    "of each": ("such numbers for each colour, as 40/30", "un tel nombre par couleur, comme 40/30"),
    "text": ("a string", "un texte"),
    "dice": (
        "dice such as 1d6 or 2d4, at most {most} different throws",
        "des dés comme 1d6 ou 2d4, d'au plus {most} lancers différents",
    ),
    "mapping": (
        "concentric, original, or rows of numbers from the top such as 1.1.1/1.2.1/1.1.1",
        "concentric, original ou des lignes de nombres depuis le haut, comme 1.1.1/1.2.1/1.1.1",
    ),
}


def _sentence(key: str, lang: str, **parts: object) -> str:
    return translate(_SENTENCES[key], lang).format(**parts)


def spec_error(key: str, **parts: object) -> SpecError:
    """Return the exception for a bad SPEC, with its text in each language. A part may be a function of the language."""
    texts = {
        lang: _sentence(key, lang, **{name: part(lang) if callable(part) else part for name, part in parts.items()})
        for lang in LANGUAGES
    }
    return SpecError(texts["en"], texts)


def did_you_mean(word: str, known: Sequence[str], lang: str = "en") -> str:
    """Return a hint with the known word nearest to an unknown one, or "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return _sentence("did you mean", lang, word=near[0]) if near else ""


@dataclass(frozen=True, slots=True)
class Option:
    """One key of a SPEC."""

    key: str
    kind: str  # "int", "float", "bool", "choice" or "text"
    default: Default  # may be a function of the options given and of those before this one
    meaning: str
    choices: tuple[str, ...] = ()  # the words of a choice
    low: int | None = None  # bounds of an int
    high: int | None = None
    none: bool = False  # True if the word `none` is allowed
    # Checks and normalises a text. Raises ValueError with what is expected, or SpecError with that in each language.
    read: Callable[[str], str] | None = None
    each: bool = False  # True if each colour may have an int of its own, in the turn order, as in `40/40/30`
    later: bool = False  # True if it is newer than some saved SPECs: a SPEC names it only if it is not at its default
    wording: bool = False  # True if the option changes only texts, not the game
    is_encoded: bool = True  # True if networks are told of its choices; they see others in what follows from them

    def parse(self, text: str) -> Value:
        """Return the value that a text stands for. Raises a SpecError that says what is expected."""
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
        """Return the default, given the options that were chosen and those before this one."""
        return self.default(before) if callable(self.default) else self.default

    def applies(self, values: Mapping[str, Value]) -> bool:
        """Return False if other options replace this one, as `width` and `height` do `size`: its value is then None."""
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


def _refuse() -> Value:
    raise ValueError


def read_number(word: str) -> float:
    """Return a number of points or seconds from decimal notation, with or without an exponent.

    Raises a SpecError that says what is expected, also for infinities, not-a-number and numbers that are too large.
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
    fit: Callable[[dict[str, Value]], dict[str, Value]] | None = None  # adapts the options to each other

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)

    def __getitem__(self, index: int) -> Option:
        return self.options[index]

    @property
    def group_keys(self) -> tuple[str, ...]:
        """The keys that set several options: the shorthands and `rules`."""
        return (*self.shorthands, *((RULES_KEY,) if self.rule_sets else ()))

    def resolve(self, game: str, given: Mapping[str, str]) -> Values:
        """Return the value of every option, in order. Raises SpecError for an unknown key or a bad value."""
        given = self.expand(given)
        keys = [option.key for option in self.options]
        for key in given:
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
        """Return single options by key. Options override shorthands, and shorthands override sets, in any order."""
        expanded: dict[str, str] = {}
        if self.rule_sets and RULES_KEY in given:
            name = fold_rule_set(given[RULES_KEY])
            if name not in self.rule_sets:
                expected = partial(format_list, [*self.rule_sets], last="or")
                raise spec_error("expected", option=RULES_KEY, text=name[:40], expected=expected)
            expanded.update(self.rule_sets[name])
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
        """Return the SPEC with every option, in order, but `later` options only if they are not at their defaults."""
        shown = (option for option in self.options if option.applies(values))
        printed = (o.key for o in shown if not (o.later and values[o.key] == o.default))
        return f"{game}:" + ",".join(f"{key}={text_of(values[key])}" for key in printed)

    def short_spec(self, game: str, values: Values) -> str:
        """Return the shortest SPEC for these values, without defaults."""
        texts = [f"{key}={text_of(value)}" for key, value in self.find_changes(values).items()]
        return ":".join(filter(None, (game, ",".join(texts))))


def fold_rule_set(name: str) -> str:
    """Return the name of a set of options in small letters, with "-" between its words."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


SIZE_LIMIT = 25
REPETITIONS = ("none", "simple", "psk", "ssk", "nssk")


def choice_option(
    key: str, choices: tuple[str, ...], meaning: str, *, later: bool = False, wording: bool = False
) -> Option:
    """Return an option whose value is one of these words, by default the first."""
    return Option(key, "choice", choices[0], meaning, choices=choices, later=later, wording=wording)


def size_option(default: int) -> Option:
    return Option("size", "int", default, "points along a side of the square board", low=1, high=SIZE_LIMIT)


def komi_option() -> Option:
    return Option("komi", "float", 7.5, "points White receives for moving second")


def rule_options(named: Collection[str] = ()) -> tuple[Option, ...]:
    """Return the options for rules of the Go family that differ between countries; every SPEC has those in `named`."""
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


def repetition_option(default: str, more: Mapping[str, str] | None = None) -> Option:
    """Return the option `repetition` of a scored game, with the choices in `more` and their meanings added."""
    return Option(
        "repetition",
        "choice",
        default,
        "boards a stone may not recreate: none; simple: the one before the last move; psk: any; "
        "ssk: any with the same side to move; nssk: any that the same player made by placing"
        + "".join(f"; {word}: {meaning}" for word, meaning in (more or {}).items()),
        choices=(*REPETITIONS, *(more or ())),
    )


def dead_option(default: str | None = None) -> Option:
    return Option(
        "dead",
        "choice",
        default,
        "none: every stone on the board counts; agreed: chains that both sides call dead are taken off first; "
        "judged: chains that a search calls dead",
        choices=("agreed", "judged"),
        none=True,
    )


def supply_option(pieces: str) -> Option:
    """Return the option `supply` for a game in which the pieces, called `pieces`, can run out."""
    meaning = f"{pieces} of one colour that may stand on the board; or of each, in the order of their turns: 40/40/30"
    return Option("supply", "int", None, meaning, low=1, none=True, each=True)


def share_supply(values: Values, colours: Sequence[int]) -> tuple[int, ...] | None:
    """Return `Rules.supply` for the option. Raises SpecError unless it has one number, or one for each colour."""
    if values["supply"] is None:
        return None
    numbers = [int(part) for part in values.text("supply").split("/")]
    if len(numbers) == 1:
        numbers *= len(colours)
    if len(numbers) != len(colours):
        raise spec_error("supply numbers", text=values.text("supply"), count=len(colours))
    shared = dict(zip(colours, numbers, strict=True))
    return tuple(shared.get(colour, 0) for colour in range(RED + 1))


def lang_option() -> Option:
    return Option("lang", "choice", "en", "language of sentences and announcements", choices=LANGUAGES, wording=True)
