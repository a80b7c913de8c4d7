"""Regression files in gogui-regress's format, run in process; the program itself runs them, too.

A numbered command whose next comment is `#? [PATTERN]` is a test: the whole answer must match the pattern, or must not
if the pattern begins with `!`; `*` after the bracket marks a failure that is known. Every other command must succeed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gtp.talk import Talk

FILES = sorted(Path(__file__).parent.glob("*.tst"))
_TEST = re.compile(r"#\? \[(?P<not>!?)(?P<pattern>.*)\](?P<known>\*?)")


def read_tests(text: str) -> Iterator[tuple[int, str, re.Match[str] | None]]:
    """Line numbers, commands and what is expected of their answers, None for those that need only succeed."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    for (number, line), (_, following) in zip(lines, [*lines[1:], (0, "")], strict=True):
        if line.startswith("#"):
            continue
        expected = _TEST.fullmatch(following)
        assert (expected is not None) == line[0].isdigit(), f"line {number}: a number and a pattern go together"
        yield number, line, expected


def failures(text: str) -> list[str]:
    """Return one line for each answer that differs from the file."""
    talk = Talk()
    found = []
    for number, line, expected in read_tests(text):
        answer = talk.raw(line.encode())
        assert answer is not None
        succeeded, words = answer.startswith(b"="), answer.partition(b" ")[2].decode().strip()
        if expected is None:
            right = succeeded
        else:
            matches = re.fullmatch(expected["pattern"], words, re.DOTALL | re.MULTILINE) is not None
            right = succeeded and matches != bool(expected["not"])
            right = right != bool(expected["known"])
        if not right:
            found.append(f"line {number}: {line} -> {answer.decode().strip()}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_regressions(path: Path) -> None:
    assert failures(path.read_text(encoding="utf-8")) == []


def test_regression_files_exist() -> None:
    assert {path.stem for path in FILES} >= {"aleago", "hexagons", "hidden"}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1 name\n#? [GTP Variants]\n", 0),
        ("1 name\n#? [GTP]\n", 1),
        ("1 name\n#? [!GTP]\n", 0),
        ("1 name\n#? [!GTP.*]\n", 1),
        ("1 name\n#? [nothing]*\n", 0),
        ("1 name\n#? [.*]*\n", 1),
        ("play b Z99\n", 1),
        ("# a comment\n\nname\n", 0),
    ],
)
def test_the_runner_reads_files_as_gogui_regress_does(text: str, count: int) -> None:
    assert len(failures(text)) == count
