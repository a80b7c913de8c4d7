"""Bots by name, whether built in, in files or in installed packages; and their parameters."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.players import bots
from gtp_variants.rules import GAMES, game_class

MINE = """
from typing import ClassVar
import gtp_variants as gv

class Mine(gv.Seat):
    parameters: ClassVar = {"playouts": 2000, "bold": False, "width": 0.5, "book": "none"}

class Two(gv.Seat):
    parameters: ClassVar = {"low": int, "high": int, "bold": bool}

    def check(self):
        if None not in (self.low, self.high) and self.low > self.high:
            raise gv.ConfigError([f"low={self.low}: expected at most high={self.high}"])

class Other:
    def sit(self, *about): pass
    def hear(self, *about): pass
    def choose(self, *about): return gv.PASS
    def leave(self, *about): pass

class Half:
    def sit(self, *about): pass

class Breaks(gv.Seat):
    def __init__(self): raise OSError("no network file")
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


@pytest.mark.parametrize("name", bots.names())
def test_ours(name: str) -> None:
    assert type(bots.load(name)).__name__ == name.capitalize()


def test_the_default_is_one_of_ours() -> None:
    assert {game_class(name).profile.default_bot for name in GAMES} <= set(bots.names())


def test_a_class_in_a_file(mine: Path) -> None:
    assert type(bots.load(str(mine))).__name__ == "Mine"
    assert type(bots.load(f"{mine}:Other")).__name__ == "Other"
    assert bots.load(str(mine)) is not bots.load(str(mine))


def test_parameters_are_attributes(mine: Path) -> None:
    bot = bots.load(f"{mine}:Mine:playouts=7, bold=true,width=1e-3,book=a b")
    assert bots.parameters(bot) == {"playouts": 7, "bold": True, "width": 0.001, "book": "a b"}
    assert bots.parameters(bots.load(f"{mine}:bold=TRUE"))["bold"] is True
    bots.set_parameter(bot, "playouts", "9")
    assert bots.parameters(bot)["playouts"] == 9
    assert bots.parameters(bots.load("greedy")) == {}


def test_a_parameter_may_have_no_default(mine: Path) -> None:
    bot = bots.load(f"{mine}:Two:high=3")
    assert bots.parameters(bot) == {"low": None, "high": 3, "bold": None}
    bots.set_parameter(bot, "bold", "True")
    bots.set_parameter(bot, "low", "2")
    assert bots.parameters(bot) == {"low": 2, "high": 3, "bold": True}
    bots.set_parameter(bot, "high", "none")
    assert bots.parameters(bot)["high"] is None
    assert (bots.kind(bot, "low"), bots.kind(bots.load(str(mine)), "width")) == (int, float)
    with pytest.raises(NotationError, match="low=x: expected a whole number"):
        bots.set_parameter(bot, "low", "x")


def test_parameters_must_fit_each_other(mine: Path) -> None:
    with pytest.raises(ConfigError, match="low=5: expected at most high=3"):
        bots.load(f"{mine}:Two:low=5,high=3")
    bot = bots.load(f"{mine}:Two:low=1,high=3")
    with pytest.raises(ConfigError, match="low=9"):
        bots.set_parameter(bot, "low", "9")
    assert bots.parameters(bot)["low"] == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "unknown bot '', known: greedy mcts phantom uniform"),
        ("gredy", "unknown bot 'gredy', known: greedy mcts phantom uniform"),
        ("../greedy", "unknown bot"),
        ("greedy:x=1", "unknown parameter 'x' of bot Greedy, known: none"),
        ("MINE:playout=1", "unknown parameter 'playout' of bot Mine, known: playouts bold width book"),
        ("MINE:playout=1", "; did you mean playouts?"),
        ("gredy", "or path/to/file.py:Class; did you mean greedy?"),
        ("MINE:playouts=1.5", "playouts=1.5: expected a whole number"),
        ("MINE:bold=yes", "bold=yes: expected true or false"),
        ("MINE:width=wide", "width=wide: expected a number"),
        ("MINE:bold=true,bold=true", "bold: given twice"),
        ("MINE:Nobody", "there is no class Nobody, known: Mine Two Other Breaks"),
        ("missing.py", "bot missing.py: there is no such file"),
    ],
)
def test_unreadable_input_is_reported(mine: Path, text: str, why: str) -> None:
    with pytest.raises(NotationError) as caught:
        bots.load(text.replace("MINE", str(mine)))
    assert why in str(caught.value)


def test_bots_that_fail_to_start_are_reported(mine: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be created: OSError: no network file"):
        bots.load(f"{mine}:Breaks")
    with pytest.raises(ConfigError, match="cannot play: it lacks hear, choose, leave"):
        bots.load(f"{mine}:Half")
    for source in ["1 / 0", "raise SystemExit", "def", "import no_such_module_anywhere"]:
        (tmp_path / "broken.py").write_text(source)
        with pytest.raises(ConfigError, match=r"broken\.py: \w+"):
            bots.load(str(tmp_path / "broken.py"))


def test_bots_that_packages_announce(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def announced(group: str) -> list[EntryPoint]:
        return [
            EntryPoint("strong", "gtp_variants.bots.uniform:Uniform", group),
            EntryPoint("gone", "no.such:Bot", group),
        ]

    monkeypatch.setattr("importlib.metadata.entry_points", announced)
    assert {"strong", "gone", "greedy"} <= set(bots.names())
    assert type(bots.load("strong")).__name__ == "Uniform"
    with pytest.raises(ConfigError, match=r"bot gone: cannot load no\.such:Bot: ModuleNotFoundError"):
        bots.load("gone")


def test_a_path_is_read_from_another_folder() -> None:
    assert bots.relocate(Path("/x"), "bots/mine.py:Mine:a=1") == str(Path("/x/bots/mine.py")) + ":Mine:a=1"
    assert bots.relocate(Path("/x"), "greedy:a=1") == "greedy:a=1"


@pytest.mark.parametrize(
    ("name", "levelled"),
    [
        ("mcts", "mcts:level=3"),
        ("mcts:level=7,threads=2", "mcts:level=3,threads=2"),
        ("mcts:", "mcts:level=3"),
        ("a/b.py", "a/b.py:level=3"),
        ("a/b.py:Mine", "a/b.py:Mine:level=3"),
        ("a/b.py:Mine:level=1", "a/b.py:Mine:level=3"),
        ("a/b.py:level=1", "a/b.py:level=3"),
    ],
)
def test_a_name_with_a_parameter(name: str, levelled: str) -> None:
    assert bots.with_parameter(name, "level", "3") == levelled
