"""Draw what each network of the package thinks by itself, and how its training went: docs/networks/*.html.

`python docs/draw_networks.py` writes the pages anew; a test fails when one is out of date.
"""

from collections.abc import Iterator
from pathlib import Path

from gtp_variants.cli.engines.net import trained_specs
from gtp_variants.cli.engines.network_page import network_page
from gtp_variants.nets.network import Network
from gtp_variants.nets.weights import FOLDER, SUFFIX
from gtp_variants.rules import parse

PAGES = Path(__file__).resolve().parent / "networks"


def pages() -> Iterator[tuple[Path, str]]:
    """Where the page of each network stands, and its text; it shows one board of each size."""
    for file in sorted(FOLDER.glob(f"*{SUFFIX}")):
        network = Network.load(file)
        by_size: dict[int, str] = {}
        for spec in trained_specs(network):
            by_size.setdefault(len(parse(spec).board), spec)
        yield PAGES / f"{file.stem}.html", network_page(network, file, list(by_size.values()))


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
