"""The chapters as Markdown pages with pictures, for reading online.

    python -m gtp_variants.handbook.pages docs

writes all of `docs/rules` anew: each game with its usual options, in all languages of its chapter.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import assert_never
from xml.etree import ElementTree

from gtp_variants.handbook.book import CHAPTERS, chapter
from gtp_variants.handbook.chapter import Choices, Diagram, Figure, Items, Part, Plan, TextTable, figures
from gtp_variants.handbook.localised_text import Text
from gtp_variants.handbook.translations import NAMES, languages_of, spoken
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules

_NOTE = "<!-- Written by python -m gtp_variants.handbook.pages: change gtp_variants/handbook and run it again. -->"
_INDEX = """\
{note}

# The rules of the games

Each game with its usual options, for people who want to sit down and play it.

```{{toctree}}
:maxdepth: 1

{names}
```
"""
_SCALE = 0.8  # of a picture's own size
_WIDEST = 840  # pixels for all the pictures of a figure


def main(arguments: Sequence[str]) -> int:
    """Write the pages into the folder `rules` of a folder, and remove what does not belong there; the exit status."""
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
    """Every page and picture: its name in the folder, with slashes, and its text."""
    files: dict[str, str] = {}
    for game in CHAPTERS:
        for lang in languages_of(game):
            rules = parse(game, {"lang": spoken(lang)})
            pictures = _pictures(rules)
            files[f"{game}.{lang}.md"] = _Page(rules, pictures, lang).text()
            files.update(pictures)
    return files | {"index.md": _index()}


def _index() -> str:
    """The list of the pages, as the site reads it."""
    names = [f"{game}.{lang}" for lang in NAMES for game in CHAPTERS if lang in languages_of(game)]
    return _INDEX.format(note=_NOTE, names="\n".join(names))


def _pictures(rules: Rules) -> dict[str, str]:
    """Every picture of a chapter by its name in the folder."""
    found: dict[str, str] = {}
    for figure in figures(chapter(rules)):
        for number, shown in enumerate(figure.diagrams, 1):
            game = shown.game(rules.lang)
            found[_name(rules, figure, number)] = svg(game.rules, game.position, shown.view(game))
    return found


def _name(rules: Rules, figure: Figure, number: int) -> str:
    place = f"-{number}" if len(figure.diagrams) > 1 else ""
    return f"images/{rules.name}-{figure.name}{place}.{rules.lang}.svg"


class _Page:
    """One page."""

    def __init__(self, rules: Rules, pictures: dict[str, str], lang: str) -> None:
        self.rules = rules
        self.lang = lang
        self.pictures = pictures

    def text(self) -> str:
        others = [lang for lang in languages_of(self.rules.name) if lang != self.lang]
        links = " · ".join(f"[{NAMES[lang]}]({self.rules.name}.{lang}.md)" for lang in others)
        lines = [_NOTE, "", f"# {self.rules.title}", "", links]
        for section in chapter(self.rules):
            lines += ["", f"## {section.heading.render(self.lang)}"]
            for part in section.parts:
                lines += ["", *self._part(part)]
        return "\n".join(lines) + "\n"

    def _part(self, part: Part) -> Iterator[str]:
        match part:
            case Text():
                yield part.render(self.lang)
            case Items():
                yield from (f"- {item.render(self.lang)}" for item in part.items)
            case TextTable():
                yield from self._table([[cell.render(self.lang) for cell in row] for row in (part.head, *part.rows)])
            case Plan():
                yield from ("```text", *part.rows, "```")
            case Choices():
                yield from (f"- `{option}` {meaning.render(self.lang)}" for option, meaning in part.options)
            case Figure():
                yield from (part.caption.render(self.lang), "", *self._diagrams(part))
            case _:
                assert_never(part)

    def _table(self, rows: list[list[str]]) -> Iterator[str]:
        for number, row in enumerate(rows):
            yield f"| {' | '.join(row)} |"
            if number == 0:
                yield "|---" * len(row) + "|"

    def _diagrams(self, figure: Figure) -> Iterator[str]:
        pictures = [self._picture(figure, number, shown) for number, shown in enumerate(figure.diagrams, 1)]
        if len(pictures) == 1:
            yield pictures[0]
            return
        titles = [shown.title.render(self.lang) if shown.title else "" for shown in figure.diagrams]
        yield from self._table([titles, pictures])

    def _picture(self, figure: Figure, number: int, shown: Diagram) -> str:
        name = _name(self.rules, figure, number)
        width = float(ElementTree.fromstring(self.pictures[name]).attrib["width"]) * _SCALE
        width = min(width, _WIDEST / len(figure.diagrams))
        title = shown.title or figure.caption
        return f'<img src="{name}" width="{width:.0f}" alt="{title.render(self.lang)}">'


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
