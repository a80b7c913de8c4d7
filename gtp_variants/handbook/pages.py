"""The chapters as Markdown with pictures, as plain text and as HTML.

`python -m gtp_variants.handbook.pages docs` rewrites all of `docs/rules`. The pages describe each game with its default
options, in every language of its chapter.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, assert_never
from xml.etree import ElementTree

from gtp_variants.base.pages import render
from gtp_variants.handbook.chapter import Choices, Figure, Items, Part, Plan, Section, TextTable, choices, figures
from gtp_variants.handbook.chapters import aleago, alter_igo, go, pentalath, phantom, rosette
from gtp_variants.handbook.localised_text import NAMES, Sentences, Text, colour, languages_of, spoken
from gtp_variants.records.drawing.diagram import STONES, diagram
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules

# Name of a game -> the function that returns its sections.
CHAPTERS: dict[str, Callable[[Any], Iterable[Section]]] = {
    "go": go.sections,
    "aleago": aleago.sections,
    "phantom": phantom.sections,
    "rosette": rosette.sections,
    "alter-igo": alter_igo.sections,
    "pentalath": pentalath.sections,
}


def chapter(rules: Rules) -> tuple[Section, ...]:
    """Return the chapter on a configured game, or only a section on its options if the game has no chapter."""
    write = CHAPTERS.get(rules.name)
    return tuple(write(rules)) if write is not None else (choices(rules, Sentences("common")),)


_SCALE = 0.8  # displayed size of a picture, as a share of its own size
_WIDEST = 840  # maximum width of all pictures in a figure together, in pixels


def main(arguments: Sequence[str]) -> int:
    """Write the pages to `FOLDER/rules`, remove other pages and pictures there, and return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m gtp_variants.handbook.pages FOLDER\n")
        return 2
    folder, written = Path(arguments[0]) / "rules", pages()
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.md"), *folder.glob("images/*.svg")):
        if old.relative_to(folder).as_posix() not in written:
            old.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


def pages() -> dict[str, str]:
    """Return the text of every page and picture by file name."""
    files: dict[str, str] = {}
    for game in CHAPTERS:
        for lang in languages_of(game):
            rules = parse(game, {"lang": spoken(lang)})
            pictures = _pictures(rules)
            files[f"{game}.{lang}.md"] = _page(rules, pictures, lang)
            files.update(pictures)
    names = [f"{game}.{lang}" for lang in NAMES for game in CHAPTERS if lang in languages_of(game)]
    return files | {"index.md": render("handbook/index.md", names=names)}


def _pictures(rules: Rules) -> dict[str, str]:
    """Return the SVG text of every picture in a chapter by file name."""
    found: dict[str, str] = {}
    for figure in figures(chapter(rules)):
        for number, shown in enumerate(figure.diagrams, 1):
            game = shown.game(rules.lang)
            found[_name(rules, figure, number)] = svg(game.rules, game.position, shown.view(game))
    return found


def _name(rules: Rules, figure: Figure, number: int) -> str:
    place = f"-{number}" if len(figure.diagrams) > 1 else ""
    return f"images/{rules.name}-{figure.name}{place}.{rules.lang}.svg"


def _page(rules: Rules, images: dict[str, str], lang: str) -> str:
    """Return a chapter in `lang` as a Markdown page; `images` has the SVG text of its pictures by file name."""

    def texts(cells: Iterable[Text]) -> list[str]:
        return [cell.render(lang) for cell in cells]

    def pictures(figure: Figure) -> Iterator[str]:
        for number, shown in enumerate(figure.diagrams, 1):
            name, title = _name(rules, figure, number), shown.title or figure.caption
            width = float(ElementTree.fromstring(images[name]).attrib["width"]) * _SCALE
            width = min(width, _WIDEST / len(figure.diagrams))
            yield f'<img src="{name}" width="{width:.0f}" alt="{title.render(lang)}">'

    links = [f"[{NAMES[each]}]({rules.name}.{each}.md)" for each in languages_of(rules.name) if each != lang]
    about = {"lang": lang, "title": rules.title, "links": links, "sections": chapter(rules)}
    return render("handbook/rules.md", **about, texts=texts, pictures=pictures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


WIDEST = 80
_NARROWEST = 30
t = Sentences("common")


def text(rules: Rules, width: int = WIDEST, lang: str = "") -> str:
    """Return the rules of a game as plain text in `lang`, or by default in the game's own language.

    Lines have at most `width` characters, limited to 30 to 80, except in diagrams and tables.
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
    """Return a text with the meaning of the letters in diagrams."""
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
                if shown.title is not None:
                    yield f"[{shown.title.render(lang)}]"
                game = shown.game(lang)
                yield from diagram(game.rules, game.position, shown.view(game)).split("\n")
        case _:
            assert_never(part)


def _hanging(mark: str, words: str, width: int) -> list[str]:
    return wrap(words, width, initial_indent=mark, subsequent_indent=" " * len(mark))


def _table(table: TextTable, lang: str) -> Iterator[str]:
    rows = [[cell.render(lang) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def page(rules: Rules, lang: str = "") -> str:
    """Return the rules of a game as one HTML document in `lang`, or by default in the game's own language."""
    about = {"lang": lang or rules.lang, "title": rules.title, "sections": chapter(rules)}
    return render("handbook/rules.html", **about, svg=svg)
