"""The page about bots: it is made of their parameters and docstrings, and leaves none out."""

import re
from dataclasses import fields

import pytest

from docs.write_reference import bots_page, meanings_of, read_docstring, settings_page
from gtp_variants.ai.mcts.settings import PuctSettings, SearchLimits, SearchSettings
from gtp_variants.players.bots import is_ours, load, names, parameters

OURS = [name for name in names() if is_ours(name)]


def rows(name: str) -> dict[str, list[str]]:
    """Option -> what its rows say of it, in the section of a bot."""
    section = "\n".join(bots_page()).partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for option, rest in re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE):
        found.setdefault(option, []).append(rest)
    return found


@pytest.mark.parametrize("name", OURS)
def test_every_option_of_a_bot_is_on_the_page_with_its_meaning(name: str) -> None:
    found = rows(name)
    assert found.keys() == parameters(load(name)).keys()
    assert all(text.rpartition("|")[2].strip() for texts in found.values() for text in texts)


def test_the_page_gives_the_same_ranges_as_the_bots_errors() -> None:
    assert rows("mcts")["level"][0].startswith("a whole number, 1 to 10 |")
    assert rows("phantom")["seconds"][0].startswith("a number, more than 0 |")
    assert rows("phantom")["variant"][0].startswith("full or plain | `full` |")
    assert rows("mcts")["resign"][0].startswith("true or false | `true` |")


def test_a_shared_setting_has_the_default_of_each_search() -> None:
    without, with_one = rows("mcts")["exploration"]
    assert "| `0.1` |" in without
    assert "| `1.3` |" in with_one


def test_every_setting_beside_an_evaluator_is_on_its_page() -> None:
    page = "\n".join(settings_page())
    assert all(f"| `{name}` |" in page for name in ("playouts", "seed", "gumbel", "calibration"))


@pytest.mark.parametrize("kind", [SearchSettings, PuctSettings])
def test_every_setting_of_a_search_has_a_meaning_and_no_other_name_has(kind: type[SearchLimits]) -> None:
    limits = {field.name for field in fields(SearchLimits)}
    assert meanings_of(kind).keys() == {field.name for field in fields(kind)} - limits
    assert all(meanings_of(kind).values())


def test_a_docstring_is_read_as_a_list_of_names_between_sentences() -> None:
    class Listed:
        """First sentence.

        More.

        `one`  the first,
               on two lines
        `two`  the second

        The rest.
        """

    found = read_docstring(Listed)
    assert (found.before, found.after) == ("First sentence.\n\nMore.", "The rest.")
    assert found.meanings == {"one": "the first, on two lines", "two": "the second"}
