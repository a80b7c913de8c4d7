"""Pieces of HTML that all report pages are made of."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def page(title: str, parts: Iterable[str], script: bool = True) -> str:
    """A whole page with its style, and the script that tables and plots on it need."""
    name = escape(title)
    style = read_asset("page.css") + read_asset("parts.css")
    theme = '<button type="button" id="theme" aria-label="dark or light" title="dark or light">◐</button>'
    behind = f"<script>{read_asset('page.js')}</script>" if script else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head><body>\n'
        f"<header><h1>{name}</h1>{theme}</header>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main>{behind}</body></html>\n"
    )


def read_asset(name: str) -> str:
    """A style sheet or script of this folder."""
    return (files("gtp_variants.arena.report") / name).read_text(encoding="utf-8")


def write_data(id: str, value: object) -> str:
    """A value for the script of a page to find under an id."""
    # Nothing in a name may end the element it stands in.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{id}">{text}</script>'


def section(title: str, parts: Iterable[str], about: str = "", id: str = "") -> str:
    """A titled part of a page; nothing where it is empty."""
    inside = "\n".join(part for part in parts if part)
    note = f'<p class="faint">{escape(about)}</p>' if about else ""
    mark = f' id="{id}"' if id else ""
    return f"<section{mark}><h2>{escape(title)}</h2>{note}\n{inside}</section>" if inside else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = (0,), style: str = "") -> str:
    """A table of cells that are HTML already; the columns of `text` are left-aligned.

    A cell that begins with `<td` is taken as it is.
    """

    def line(tag: str, cells: Sequence[str]) -> str:
        found = ""
        for column, cell in enumerate(cells):
            mark = ' class="text"' if column in text else ""
            kind = tag if cell else "td"
            found += cell if cell.startswith("<td") else f"<{kind}{mark}>{cell}</{kind}>"
        return f"<tr>{found}</tr>"

    top = f"<thead>{line('th', head)}</thead>" if any(head) else ""
    body = "".join(line("td", row) for row in rows)
    mark = f' class="{style}"' if style else ""
    return f'<div class="wide" tabindex="0"><table{mark}>{top}<tbody>{body}</tbody></table></div>'


def tile(label: str, value: str, about: str = "") -> str:
    """A figure to be read from afar."""
    note = f"<small>{about}</small>" if about else ""
    return f'<div class="tile"><span>{escape(label)}</span><b>{value}</b>{note}</div>'
