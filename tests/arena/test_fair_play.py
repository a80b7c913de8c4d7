"""What a bot in a match tries in order to know or to change what it must not."""

import json
from pathlib import Path

import pytest

import gtp_variants as gv

pytestmark = pytest.mark.usefixtures("in_one_process")

# Keeps the draws of a game in a file, and foretells by them those of the next one.
REMEMBERS = """
import json
from pathlib import Path
import gtp_variants as gv

FILE = Path(__file__).with_name("memory.json")

class Remembers(gv.Seat):
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        self.memory = json.loads(FILE.read_text()) if FILE.exists() else {}
        self.guesses, self.draws = [], {}

    def choose(self, view, clock):
        turn, draw = str(view.position.turn), view.position.draws[0]
        if turn in self.memory:
            self.guesses.append(self.memory[turn] == draw)
        self.draws[turn] = draw
        return super().choose(view, clock)

    def leave(self, outcome):
        now = json.loads(FILE.read_text()) if FILE.exists() else {"guesses": []}
        FILE.write_text(json.dumps({**now, **self.draws, "guesses": now["guesses"] + self.guesses}))
"""


@pytest.mark.parametrize("dice", [None, "own", "shared"])
def test_who_remembers_the_first_game_foretells_draws_of_the_second_only_if_they_are_shared(
    tmp_path: Path, dice: str | None
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(REMEMBERS)
    guesses = []
    for seed in range(4):
        players = dict.fromkeys(("one", "two"), f"bot:{bot}:Remembers")
        gv.match("aleago:size=7,dice=1d4", players, pairs=1, seed=seed, dice=dice)
        memory = tmp_path / "memory.json"
        guesses += json.loads(memory.read_text())["guesses"]
        memory.unlink()
    assert len(guesses) > 100
    if dice == "shared":
        assert all(guesses)
    else:
        # At chance every fourth is right; this is six standard deviations more.
        assert sum(guesses) / len(guesses) < 0.25 + 6 * (3 / 16 / len(guesses)) ** 0.5
