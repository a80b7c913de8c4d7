"""A chapter as plain text: running text wrapped, diagrams as they are."""

from collections.abc import Iterator
from textwrap import wrap
from typing import assert_never

from gtp_variants.handbook.book import chapter
from gtp_variants.handbook.chapter import Choices, Diagram, Figure, Items, Part, Plan, TextTable
from gtp_variants.handbook.localised_text import Sentences, Text, colour
from gtp_variants.records.drawing.diagram import STONES, diagram
from gtp_variants.rules.rules import Rules

WIDEST = 80
_NARROWEST = 30
t = Sentences("common")


def text(rules: Rules, width: int = WIDEST, lang: str = "") -> str:
    """The rules of a game in a language of its chapter, by default its own.

    Lines have at most `width` letters, but for diagrams and tables.
    """
    lang = lang or rules.lang
    width = max(_NARROWEST, min(width, WIDEST))
    lines = [rules.title, "=" * len(rules.title), "", *wrap(_key(rules).render(lang), width)]
    for section in chapter(rules):
        heading = section.heading.render(lang)
        lines += ["", heading, "-" * len(heading)]
        for part in section.parts:
            lines += ["", *_part(part, lang, width)]
    return "\n".join(lines) + "\n"


def _key(rules: Rules) -> Text:
    """What the letters in diagrams mean."""
    letters = [t("colour_letter", letter=STONES[each], name=colour(each)) for each in sorted(rules.colours)]
    stones = Text(lambda lang: ", ".join(letter.render(lang) for letter in letters))
    return t("diagram_key", stones=stones)


def _part(part: Part, lang: str, width: int) -> Iterator[str]:
    match part:
        case Text():
            yield from wrap(part.render(lang), width)
        case Items():
            for item in part.items:
                yield from _hanging("- ", item.render(lang), width)
        case TextTable():
            yield from _table(part, lang)
        case Plan():
            yield from part.rows
        case Choices():
            for option, meaning in part.options:
                yield from _hanging("- ", t("option_line", option=option, meaning=meaning).render(lang), width)
        case Figure():
            yield from wrap(part.caption.render(lang), width)
            for shown in part.diagrams:
                yield ""
                yield from _diagram(shown, lang)
        case _:
            assert_never(part)


def _hanging(mark: str, words: str, width: int) -> list[str]:
    return wrap(words, width, initial_indent=mark, subsequent_indent=" " * len(mark))


def _table(table: TextTable, lang: str) -> Iterator[str]:
    rows = [[cell.render(lang) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _diagram(shown: Diagram, lang: str) -> Iterator[str]:
    game = shown.game(lang)
    if shown.title is not None:
        yield f"[{shown.title.render(lang)}]"
    yield from diagram(game.rules, game.position, shown.view(game)).split("\n")
