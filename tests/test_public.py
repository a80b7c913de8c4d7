"""The public names, the documentation's examples, and what importing the package may cost."""

import doctest
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gtp_variants as gv

ROOT = Path(__file__).resolve().parent.parent


def test_every_public_name_is_there_and_listed() -> None:
    assert set(gv.__all__) <= set(dir(gv))
    for name in gv.__all__:
        assert getattr(gv, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gv.nothing


WITHOUT_NUMPY = """
import sys

sys.modules["numpy"] = None
import gtp_variants as gv
from gtp_variants import *

assert search(parse("go:size=3"), parse("go:size=3").start(), playouts=2).visits
for name in sys.argv[1:]:
    try:
        getattr(gv, name)
    except ImportError as error:
        assert "needs numpy" in str(error)
        assert name not in gv.__all__, name
    else:
        assert name in gv.__all__, name
print(sorted({*sys.argv[1:]} - {*gv.__all__})[:3])
"""


def test_all_names_but_those_of_arrays_are_imported_without_numpy() -> None:
    command = [sys.executable, "-c", WITHOUT_NUMPY, *gv.__all__]
    left = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert left.strip() == "['Batch', 'Encoder', 'Evaluator']"


def test_the_package_docstring_runs() -> None:
    assert doctest.testmod(gv).failed == 0


def test_the_tutorials_bot_plays() -> None:
    text = (ROOT / "docs" / "tutorial" / "your-bot.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "gv.Seat" in block), names)
    bot = names["Centre"]
    assert isinstance(bot, type)
    table = gv.Table(gv.parse("aleago:size=9,dice=1d4"), lambda: gv.DiceStream("tutorial"))
    for colour in (gv.BLACK, gv.WHITE):
        table.seat(colour, bot(), "tutorial")
    while table.asked() is not None:
        table.step()


def test_the_interface_for_programmers() -> None:
    rules = gv.parse("aleago:size=9,dice=1d4")
    position = rules.start()
    assert position.to_play == gv.CHANCE
    assert abs(sum(rules.odds(position)) - 1) < 1e-9
    position = rules.play(position, rules.actions(position)[3])
    position = rules.play(position, rules.board.point("E5"))
    with pytest.raises(gv.IllegalMove) as refused:
        rules.play(rules.play(position, 0), rules.board.point("E5"))
    assert refused.value.reason == "occupied"
    assert "E" in gv.diagram(rules, position)
    assert gv.svg(rules, position).startswith("<svg")


def test_a_game_hosted_by_hand_is_saved_exactly(tmp_path: Path) -> None:
    rules = gv.parse("aleago:size=9,dice=1d4")
    game, dice, rng = gv.Game(rules), gv.DiceStream("paper/0042"), random.Random(42)
    while game.outcome is None:
        actor = game.position.to_play
        game.play(actor, dice.draw(game) if actor == gv.CHANCE else rng.choice(rules.actions(game.position)))
    for name in ("0042.json", "0042.sgf"):
        gv.save(game, tmp_path / name)
        assert gv.load(tmp_path / name) == game


def test_importing_the_package_loads_neither_search_nor_numbers() -> None:
    code = "import sys, gtp_variants; print([m for m in sys.modules if m.startswith(('numpy', 'gtp_variants.'))])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "['gtp_variants._version']"
