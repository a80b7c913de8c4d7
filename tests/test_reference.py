"""The reference: every public name is on a page, with an example that runs; and the site is built without a warning."""

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gtp_variants as gv
from docs import write_reference as reference

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.rst"))}
TUTORIALS = [DOCS / "index.md", DOCS / "samples.md", *sorted((DOCS / "tutorial").glob("*.md"))]
# Whatever starts processes of its own.
_SLOW = {"Match", "MatchResult", "match", "matches"}


def docstring(name: str) -> str:
    """Return a name's docstring; "" for a value, which only has its type's."""
    found = getattr(gv, name)
    module = getattr(found, "__module__", getattr(found, "__name__", ""))
    return (found.__doc__ or "") if module.startswith("gtp_variants") else ""


def examples(name: str) -> list[doctest.Example]:
    """The examples of a public name: in its docstring, or on a page of the reference where it is used."""
    parser = doctest.DocTestParser()
    own = parser.get_examples(docstring(name))
    used = re.compile(rf"\bgv\.{re.escape(name)}\b")
    return own or [each for page in PAGES.values() for each in parser.get_examples(page) if used.search(each.source)]


def run(text: str, name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE)
    said: list[str] = []
    runner.run(doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, None, 0), out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", gv.__all__)
def test_every_public_name_is_described_once_and_has_an_example(name: str) -> None:
    described = re.compile(rf"(?::: |^ +|automodule:: )gtp_variants\.{re.escape(name)}$", re.MULTILINE)
    assert sum(len(described.findall(page)) for page in PAGES.values()) == 1
    assert examples(name)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in gv.__all__]
)
def test_the_examples_of_a_name_run(name: str) -> None:
    run(docstring(name), name)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str) -> None:
    run(PAGES[page], page)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: str(page.stem))
def test_the_python_of_a_tutorial_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile("\n".join(blocks), str(page), "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("name", reference.pages())
def test_pages_that_follow_from_the_code_are_as_it_writes_them(name: str) -> None:
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == reference.pages()[name], "python docs/write_reference.py"


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("furo") is None, reason="the extra `docs` is not installed")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(tmp_path / "seen")]
    built = subprocess.run([*command, str(DOCS), str(tmp_path / "site")], capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    assert (tmp_path / "site" / "index.html").exists()
