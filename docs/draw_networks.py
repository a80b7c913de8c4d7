"""Draw the pages of the package's networks, docs/networks/*.html: what each network thinks and how it was made.

`python docs/draw_networks.py` writes the pages; a test fails when one is out of date. The training commands are in
docs/trainings.txt, the matches in docs/measurements.md.
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
    """The folders and table rows that belong to a network.

    `folders` are the last folders it was trained in. `rows` are the first cells of its rows in docs/measurements.md.
    """

    folders: Sequence[str]
    rows: Sequence[str]


# By the stem of the weight file.
SOURCES = {
    "aleago": NetworkSources(["aleago-deep"], ["Aléago 9x9", "Aléago 13x13"]),
    "alter-igo": NetworkSources(["alter-igo-history"], ["Alter Igo 9x9"]),
    "go": NetworkSources(["go-ladders"], ["Go 9x9, taught", "Go 13x13, taught"]),
    "go-komi": NetworkSources(["go-komi-taught"], ["Go 9x9, komi 3.5, taught", "Go 9x9, komi 0.5, taught"]),
    "go-komi-self": NetworkSources(["go-deep", "go-komi"], ["Go 9x9, `go-komi-self`"]),
    "go-large": NetworkSources(["go-large-taught"], ["Go 19x19, taught"]),
    "go-large-self": NetworkSources(["go-4", "go-large"], ["Go 19x19"]),
    "go-self": NetworkSources(["go-4", "go-deep", "go-teacher"], ["Go 9x9", "Go 13x13"]),
    "pentalath": NetworkSources(["pentalath-history"], ["Pentalath"]),
    "pentalath-3": NetworkSources(["pentalath-3-deep"], ["Pentalath for three"]),
    "phantom-hidden-stones": NetworkSources(["phantom-hidden-stones"], ["Go Fantôme 9x9, hidden stones guessed"]),
    "rosette": NetworkSources(["rosette-history"], ["Rosette n=4"]),
}
# The sections of docs/measurements.md whose rows are shown.
SECTIONS = [
    "Against the old search",
    "Against the network without a teacher",
    "Against the networks before the last training",
    "Against other programs",
]


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of each network's page, which shows one board of each size."""
    for file in sorted(FOLDER.glob(f"*{SUFFIX}")):
        network = Network.load(file)
        by_size: dict[int, str] = {}
        for spec in trained_specs(network):
            by_size.setdefault(len(parse(spec).board), spec)
        sources = SOURCES[file.stem]
        sections = {"Matches": matches(sources.rows)}
        sections["The commands that make it again"] = commands(sources.folders)
        yield PAGES / f"{file.stem}.html", network_page(network, file, list(by_size.values()), sections)


def matches(rows: Sequence[str]) -> str:
    """Return the tables of docs/measurements.md with these rows only, as HTML."""
    shown = []
    for heading in SECTIONS:
        section = _read("measurements.md").partition(f"\n### {heading}\n")[2].partition("\n#")[0]
        table = [line for line in section.splitlines() if line.startswith("|")]
        mine = [
            line for line in table[2:] if any(re.match(rf"\| {re.escape(row)}( \||, against )", line) for row in rows)
        ]
        if mine:
            shown.append("\n".join([f"### {heading}", "", *table[:2], *mine]))
    assert shown, rows
    how = 'How they were measured: <a href="../measurements.html">Measurements</a>.'
    return _html("\n\n".join(shown)) + f"<p>{how}</p>"


def commands(folders: Sequence[str]) -> str:
    """Return the training commands of these folders as HTML, each after those it starts from."""
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
    more = 'What the options mean: <a href="../networks.html">Networks</a>.'
    return f"<pre>{escape(chr(10).join(known))}</pre><p>{more}</p>"


def _trainings() -> Iterator[str]:
    """Yield the commands of docs/trainings.txt, with their continuation lines."""
    yield from re.findall(r"^\$ gtp-variants train (?:.*\\\n)*.*", _read("trainings.txt"), re.MULTILINE)


def _read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _html(text: str) -> str:
    return re.sub(r'href="([\w-]+)\.md', r'href="../\1.html', MarkdownIt().enable("table").render(text))


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
