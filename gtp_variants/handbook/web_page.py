"""A chapter as one HTML page with its pictures inside."""

from collections.abc import Iterator
from html import escape
from typing import assert_never

from gtp_variants.handbook.book import chapter
from gtp_variants.handbook.chapter import Choices, Diagram, Figure, Items, Part, Plan, TextTable
from gtp_variants.handbook.localised_text import Text
from gtp_variants.records.drawing.svg import svg
from gtp_variants.rules.rules import Rules

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }
figure { margin: 1.5rem 0; }
figure > div { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; }
figure svg { max-width: 100%; height: auto; }
figcaption { margin-bottom: .5rem; }
th, td { text-align: left; padding-right: 1.5rem; }
"""


def page(rules: Rules, lang: str = "") -> str:
    """The rules of a game in a language of its chapter, by default its own, as a self-contained HTML document."""
    lang, title = lang or rules.lang, escape(rules.title)
    lines = [
        "<!doctype html>",
        f'<html lang="{lang}">',
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>',
        f"<style>\n{_STYLE}</style>",
        f"<h1>{title}</h1>",
    ]
    for section in chapter(rules):
        lines.append(f"<h2>{escape(section.heading.render(lang))}</h2>")
        for part in section.parts:
            lines += _part(part, lang)
    return "\n".join([*lines, "</html>", ""])


def _part(part: Part, lang: str) -> Iterator[str]:
    match part:
        case Text():
            yield f"<p>{escape(part.render(lang))}</p>"
        case Items():
            yield from ("<ul>", *(f"<li>{escape(item.render(lang))}</li>" for item in part.items), "</ul>")
        case TextTable():
            yield from ("<table>", _row(part.head, lang, "th"))
            yield from (_row(row, lang, "td") for row in part.rows)
            yield "</table>"
        case Plan():
            yield "<pre>" + escape("\n".join(part.rows)) + "</pre>"
        case Choices():
            items = (f"<li><code>{escape(key)}</code> {escape(told.render(lang))}</li>" for key, told in part.options)
            yield from ("<ul>", *items, "</ul>")
        case Figure():
            yield f"<figure><figcaption>{escape(part.caption.render(lang))}</figcaption><div>"
            yield from (_diagram(shown, lang) for shown in part.diagrams)
            yield "</div></figure>"
        case _:
            assert_never(part)


def _row(cells: tuple[Text, ...], lang: str, tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell.render(lang))}</{tag}>" for cell in cells) + "</tr>"


def _diagram(shown: Diagram, lang: str) -> str:
    game = shown.game(lang)
    title = "" if shown.title is None else f"<p>{escape(shown.title.render(lang))}</p>"
    return f"<div>{title}{svg(game.rules, game.position, shown.view(game))}</div>"
