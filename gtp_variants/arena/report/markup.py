"""The pieces of HTML that make up report pages."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page with its style and the script for tables and plots."""
    name = escape(title)
    style = read_asset("page.css") + read_asset("parts.css")
    theme = '<button type="button" id="theme" aria-label="dark or light" title="dark or light">◐</button>'
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head><body>\n'
        f"<header><h1>{name}</h1>{theme}</header>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + f"\n</main><script>{read_asset('page.js')}</script></body></html>\n"
    )


def read_asset(name: str) -> str:
    """Return the text of a style sheet or script in this folder."""
    return (files("gtp_variants.arena.report") / name).read_text(encoding="utf-8")


def write_data(id: str, value: object) -> str:
    """Return an element with a value as JSON, for the page's script."""
    # Escape "<": no name may end the element.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{id}">{text}</script>'


def section(title: str, parts: Iterable[str], about: str = "", id: str = "") -> str:
    """Return a titled part of a page, "" if it is empty."""
    inside = "\n".join(part for part in parts if part)
    note = f'<p class="faint">{escape(about)}</p>' if about else ""
    mark = f' id="{id}"' if id else ""
    return f"<section{mark}><h2>{escape(title)}</h2>{note}\n{inside}</section>" if inside else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], text: Sequence[int] = (0,), style: str = "") -> str:
    """Return a table of HTML cells; a cell may bring its own `<td>`. The columns in `text` are left-aligned."""

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
    """Return a figure in large print."""
    note = f"<small>{about}</small>" if about else ""
    return f'<div class="tile"><span>{escape(label)}</span><b>{value}</b>{note}</div>'
