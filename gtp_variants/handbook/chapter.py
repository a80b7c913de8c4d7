"""The parts of a chapter: sections of paragraphs, lists, tables and figures."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gtp_variants.handbook.localised_text import Sentences, Text, spoken
from gtp_variants.lang import load, option_meanings
from gtp_variants.records.record import play_words
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rules import P, Rules
from gtp_variants.rules.views import View


@dataclass(frozen=True, slots=True)
class Items:
    """A bulleted list."""

    items: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table. Every row has as many cells as the head."""

    head: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Rows of characters in a fixed-width font, such as a map of the board."""

    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The options in force, such as `komi=7.5`, each with its meaning."""

    options: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """The position after a list of moves, as everybody sees it or as `seat` knows it.

    `moves` are events as in records, separated by commas: "b D4, chance 6, w pass". `forbidden` is a vertex where the
    rules forbid the next stone.
    """

    spec: str
    moves: str = ""
    seat: int | None = None
    title: Text | None = None
    forbidden: str = ""

    def game(self, lang: str) -> Game:
        """Return the game in this position. Its sentences are in `lang`, or in `spoken(lang)` if rules lack `lang`."""
        return play(self.spec, self.moves, spoken(lang))

    def view(self, game: Game) -> View | None:
        """Return the seat's knowledge about the game, or None if everything is shown."""
        return None if self.seat is None else game.rules.view(game.heard(self.seat), self.seat)


@dataclass(frozen=True, slots=True)
class Figure:
    """Diagrams under one caption. `name` is unique in the chapter. If there are several diagrams, each has a title."""

    name: str
    caption: Text
    diagrams: tuple[Diagram, ...]


def figure(t: Sentences, name: str, spec: str = "") -> Figure:
    """Return a figure of a chapter from `figures.toml`. Its diagrams have the SPEC `spec`, or else the file's SPEC."""
    entry = load(Path(__file__).with_name("figures.toml"))[t.name][name]
    spec, moves = spec or entry["spec"], entry["moves"]
    boards = (
        Diagram(spec, f"{moves}, {further}" if further else moves, title=t(title))
        for title, further in entry.get("boards", {}).items()
    )
    return Figure(name, t(f"{name}_caption"), tuple(boards) or (Diagram(spec, moves),))


Part = Text | Items | TextTable | Plan | Choices | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the parts below it."""

    heading: Text
    parts: tuple[Part, ...]


def play(spec: str, moves: str, lang: str = "en") -> Game:
    """Return the game of a SPEC, which does not set `lang`, after `moves`: events separated by commas."""
    made = Game(parse(spec, {"lang": lang}))
    events = [event.strip().split(" ", 1) for event in moves.split(",") if event.strip()]
    play_words(made, events, (f"event {number}" for number in range(1, len(events) + 1)))
    return made


def spec_of(rules: Rules[P], **changed: str) -> str:
    """Return the SPEC of rules without their language and with the values in `changed`."""
    values = dict(_options_in_force(rules)) | changed
    return f"{rules.name}:" + ",".join(f"{key}={value}" for key, value in values.items())


def _options_in_force(rules: Rules[P]) -> Iterator[tuple[str, str]]:
    """Yield the options in force other than the language, with their values as a SPEC has them."""
    for option in rules.options:
        if option.key != "lang" and option.applies(rules.values):
            yield option.key, text_of(rules.values[option.key])


def choices(rules: Rules[P], t: Sentences) -> Section:
    """Return the last section of a chapter: every option in force, with its meaning."""
    common = Sentences("common")
    options = tuple((f"{key}={value}", option_meaning(rules, key, t)) for key, value in _options_in_force(rules))
    return Section(common("heading_options"), (common("agree"), Choices(options)))


def option_meaning(rules: Rules[P], key: str, t: Sentences) -> Text:
    """Return the meaning of an option from the chapter, or else from the common sentences, or else from the rules."""
    found = next((each for each in (t, Sentences("common")) if f"option_{key}" in each), None)
    if found is None:
        meaning = next(option.meaning for option in rules.options if option.key == key)
        return Text(lambda lang: option_meanings(spoken(lang)).get(key, meaning))
    return found(f"option_{key}")


def figures(sections: Iterable[Section]) -> Iterable[Figure]:
    """Return every figure of a chapter."""
    return (part for section in sections for part in section.parts if isinstance(part, Figure))
