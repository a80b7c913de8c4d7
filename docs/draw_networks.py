"""Draw what each network of the package thinks by itself, and say how it was made: docs/networks/*.html.

`python docs/draw_networks.py` writes the pages anew; a test fails when one is out of date. The commands that train a
network are those of docs/networks.md, its matches those of docs/measurements.md.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import FOLDER, SUFFIX
from gtp_variants.cli.engines.net import network_page, trained_specs
from gtp_variants.rules import parse

DOCS = Path(__file__).resolve().parent
PAGES = DOCS / "networks"


@dataclass(frozen=True, slots=True)
class NetworkSources:
    """The last folders a network was trained in, and what docs/measurements.md calls it.

    `heading` is that of its matches, `alone` begins its rows where the networks play without a search, if it can.
    """

    folders: Sequence[str]
    heading: str
    alone: str = ""


# Of each weight file.
SOURCES = {
    "aleago": NetworkSources(["aleago-deep"], "Aléago", "Aléago 9x9"),
    "alter-igo": NetworkSources(["alter-igo-deeper"], "Alter Igo", "Alter Igo 9x9"),
    "go": NetworkSources(["go-4", "go-deep", "go-teacher"], "Go", "Go 9x9"),
    "go-komi": NetworkSources(["go-deep", "go-komi"], "Go with other komi"),
    "go-large": NetworkSources(["go-4", "go-large"], "Go on large boards", "Go 19x19"),
    "pentalath": NetworkSources(["pentalath-deeper"], "Pentalath", "Pentalath"),
    "pentalath-3": NetworkSources(["pentalath-3-deep"], "Pentalath for three", "Pentalath for three"),
    "phantom-hidden-stones": NetworkSources(["phantom-hidden-stones"], "Go Fantôme: hidden stones"),
    "rosette": NetworkSources(["rosette-komi"], "Rosette", "Rosette n=4"),
}


def pages() -> Iterator[tuple[Path, str]]:
    """Where the page of each network stands, and its text; it shows one board of each size."""
    for file in sorted(FOLDER.glob(f"*{SUFFIX}")):
        network = Network.load(file)
        by_size: dict[int, str] = {}
        for spec in trained_specs(network):
            by_size.setdefault(len(parse(spec).board), spec)
        sources = SOURCES[file.stem]
        sections = {"Matches": matches(sources.heading)}
        if sources.alone and (alone := matches_alone(sources.alone)):
            sections["Without a search"] = alone
        sections["The commands that make it again"] = commands(sources.folders)
        yield PAGES / f"{file.stem}.html", network_page(network, file, list(by_size.values()), sections)


def matches(heading: str) -> str:
    """The tables of a network's matches, below what all networks' have in common."""
    told = _chapter("How the networks grew")
    found = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^### |\Z)", told, re.MULTILINE | re.DOTALL)
    assert found, f"measurements.md: no heading {heading}"
    anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    how = f'How they are measured is told in <a href="../measurements.html#{anchor}">Measurements</a>.'
    return f"{_html(told.partition('### ')[0])}<p>{how}</p>{_html(found[1])}"


def matches_alone(name: str) -> str:
    """What the first choice of a network comes to without a search, "" where nobody has tried."""
    section = _chapter("Strength").partition("\n### The network alone\n")[2].partition("\n### ")[0]
    before, rule, rows = section.partition("|---|---|---|\n")
    mine = [row for row in rows.splitlines() if re.match(rf"\| {re.escape(name)}( \||,)", row)]
    return _html(before + rule + "\n".join(mine)) if mine else ""


def _chapter(heading: str) -> str:
    return _read("measurements.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def commands(folders: Sequence[str]) -> str:
    """The commands that train in these folders, behind those of the folders they begin with."""
    into: dict[str, list[str]] = {}
    for command in _trainings():
        folder = re.search(r"--into (\S+)", command)
        assert folder, command
        into.setdefault(folder[1], []).append(command)
    known: dict[str, None] = {}

    def follow(folder: str) -> None:
        for command in into.get(folder, ()):
            for earlier in re.findall(r"--start ([^/\s]+)/", command):
                follow(earlier)
            known.setdefault(command)

    for folder in folders:
        follow(folder)
    more = 'What else is to be known of them is told in <a href="../networks.html">Networks</a>.'
    return f"<pre>{escape(chr(10).join(known))}</pre><p>{more}</p>"


def _trainings() -> Iterator[str]:
    """The commands in docs/networks.md that made networks, each with the lines that it goes on in."""
    lines = iter(_read("networks.md").partition("\nWhat made them. ")[2].splitlines())
    for line in lines:
        if line.startswith("$ gtp-variants train "):
            command = [line]
            while command[-1].endswith("\\"):
                command.append(next(lines))
            yield "\n".join(command)


def _read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _html(text: str) -> str:
    return re.sub(r'href="([\w-]+)\.md', r'href="../\1.html', MarkdownIt().enable("table").render(text))


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
