"""`gtp-variants rules`, the page it writes, and the pages in docs."""

import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.handbook import pages
from gtp_variants.handbook.chapter import Diagram, figures
from gtp_variants.handbook.pages import chapter, page, text
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.languages import LANGUAGES
from tests.support.programs import COMMAND

DOCS = Path(__file__).resolve().parents[2] / "docs"
has_docs = pytest.mark.skipif(not DOCS.is_dir(), reason="no docs beside the tests")
PLAN = re.compile(r"[0-9. ]+")
SPECS = (*GAMES, "aleago:size=25,dice=2d4", "rosette:n=13", "pentalath:players=3,board=hexhex5", "go:size=1")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("spec", SPECS)
def test_lines_fit_the_terminal(spec: str, lang: str) -> None:
    rules = parse(spec, {"lang": lang})
    drawn = {line for each in figures(chapter(rules)) for board in each.diagrams for line in lines_of(board, lang)}
    for width in (40, 80, 200):
        lines = text(rules, width).split("\n")
        assert max(map(len, lines)) <= 100
        running = [line for line in lines if line not in drawn and not PLAN.fullmatch(line)]
        assert max(map(len, running)) <= min(width, 80)


def lines_of(board: Diagram, lang: str) -> list[str]:
    """The lines of one diagram."""
    game = board.game(lang)
    return diagram(game.rules, game.position, board.view(game)).split("\n")


def test_a_narrow_terminal_is_no_error() -> None:
    assert "Aléago" in text(parse("aleago"), 0)


def test_french_blanks_do_not_break(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "phantom", "--lang", "fr"]) == 0
    told = capsys.readouterr().out
    assert "«\u00a0coup impossible\u00a0»" in told
    assert not re.search(r"^[:;!»]", told, re.MULTILINE)


def test_the_language_is_that_of_the_spec_then_of_the_option_then_english(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, heading in (
        (["go"], "The aim"),
        (["go", "--lang", "fr"], "Le but"),
        (["go:lang=fr"], "Le but"),
        (["go:lang=en", "--lang", "fr"], "The aim"),
    ):
        assert main(["rules", *arguments]) == 0
        assert heading in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("chess", "unknown game 'chess'"),
        ("go:size=40", "size=40"),
        ("go:dice=1d6", "unknown key 'dice'"),
        ("", "unknown game"),
    ],
)
def test_a_wrong_spec_is_reported(spec: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", spec]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("gtp-variants rules: ")
    assert told in err


class Checker(HTMLParser):
    """Notes the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert tag not in ("script", "link", "img")
        assert not {"src", "href"} & {name for name, _ in attributes}


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_holds_its_pictures(spec: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.html"
    assert main(["rules", spec, "--lang", "fr", "--html", str(file)]) == 0
    written = file.read_text(encoding="utf-8")
    assert written == page(parse(spec, {"lang": "fr"}))
    checker = Checker()
    checker.feed(written)
    assert checker.tags.count("svg") >= 2
    assert '<html lang="fr">' in written


def test_an_unwritable_page_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "go", "--html", str(tmp_path / "none" / "rules.html")]) == 2
    assert "rules.html" in capsys.readouterr().err


def run(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, "rules", *arguments]
    return subprocess.run(command, capture_output=True, check=False, timeout=60, env=os.environ | environment)


@pytest.mark.slow
def test_a_terminal_without_accents_is_no_error() -> None:
    done = run(["aleago", "--lang", "fr"], PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"Aleago" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is told otherwise there")
def test_a_pager_that_closes_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "rules", "rosette"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


# -- docs -------------------------------------------------------------------------------------------------------------


@has_docs
def test_the_pages_are_up_to_date() -> None:
    folder = DOCS / "rules"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    written = pages.pages()
    assert files == set(written), "run python -m gtp_variants.handbook.pages docs"
    old = [name for name, there in written.items() if (folder / name).read_text(encoding="utf-8") != there]
    assert not old, "run python -m gtp_variants.handbook.pages docs"


@has_docs
def test_the_links_of_the_pages_lead_somewhere() -> None:
    linked = set()
    for file in DOCS.rglob("*.md"):
        for link in re.findall(r'\]\(([^)]+)\)|src="([^"]+)"', file.read_text(encoding="utf-8")):
            if "".join(link).startswith("https://"):
                continue
            # Within a page a link may lead to a heading.
            name = "".join(link).partition("#")[0]
            target = file.parent / name if name else file
            assert target.is_file(), f"{file.name}: {''.join(link)}"
            if file.name == "README.md":
                linked.add(target.name)
    assert {f"{game}.{lang}.md" for game in GAMES for lang in LANGUAGES} <= linked


def test_pages_are_rewritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    images = tmp_path / "rules" / "images"
    images.mkdir(parents=True)
    (images / "old.svg").touch()
    (tmp_path / "rules" / "old.md").touch()
    assert pages.main([str(tmp_path)]) == 0
    found = {path.relative_to(tmp_path / "rules").as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == set(pages.pages())
    assert pages.main([]) == 2
    assert "usage" in capsys.readouterr().err
