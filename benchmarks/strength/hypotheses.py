"""How reliably and fast hypotheses are found that agree with a seat's news in Go Fantôme.

    python -m benchmarks.strength.hypotheses [--games 100] [--first 0] [--spec SPEC]... [--alone]
        [--players random|greedy|phantom:playouts=100,worlds=4]

At random moments of each game, for both seats, `imagine` is asked for a position, and at each own turn a seat's
`Worlds` for as many as it holds (not with `--alone`). All games found are replayed and must give the same news as the
true one. Times are processor times. Game number n is always the same, so a run can continue another.
"""

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from typing import cast

import gtp_variants as gv
from gtp_variants.ai.belief.hypothesis import find_hypothesis
from gtp_variants.ai.belief.observations import ObservationHistory
from gtp_variants.base.rng import Rng
from gtp_variants.players import bots
from gtp_variants.rules.games.phantom import PhantomRules

SPECS = (
    "phantom:size=9",
    "phantom:size=5",
    "phantom:size=7,impossible=private",
    "phantom:size=7,atari=all",
    "phantom:size=7,self_atari=new_only",
    "phantom:size=13",
)
ASKED = 16
# Maximum tries per point of the board in a game.
LENGTH = 3
# Number of games between two lines of progress.
STEP = 10


def played(rules: gv.Rules, players: str, number: int) -> gv.Game:
    """Return game number `number` of two players of a kind, up to a random length."""
    most = random.Random(number).randint(1, LENGTH * len(rules.board))
    if players == "random":
        return gv.random_game(rules, number, most)
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour in rules.colours:
        table.seat(colour, bots.load(players), f"{number}/{colour}")
    while (colour := table.asked()) is not None and len(table.game.events) < most:
        table.answer(colour, table.choose(colour))
    return table.game


@dataclass
class Tally:
    """The results so far; times are in processor seconds."""

    alone: list[float] = field(default_factory=list)
    together: list[float] = field(default_factory=list)
    missed: int = 0
    wrong: int = 0
    found: int = 0

    def __str__(self) -> str:
        said = f"{len(self.alone)} positions, {self.missed} not found, {self.wrong} wrong; imagine {_times(self.alone)}"
        if not self.together:
            return said
        share = self.found / (ASKED * len(self.together))
        turns = f"worlds {_times(self.together)} a turn of {len(self.together)}, {share:.0%} of {ASKED} different"
        return f"{said}; {turns}"


def measure_alone(tally: Tally, game: gv.Game, colour: int, number: int) -> None:
    """Find one position, and replay its game as a check."""
    news = game.heard(colour)
    history = ObservationHistory(cast(PhantomRules, game.rules), colour)
    begun = time.process_time()
    try:
        for item in news:
            history.hear(item)
        hypothesis = find_hypothesis(history, Rng(number))
    except gv.GameOver:
        tally.missed += 1
        print(f"{game.rules.spec}: game {number}, colour {colour}: none found", flush=True)
        return
    finally:
        tally.alone.append(time.process_time() - begun)
    again = hypothesis.game()
    tally.wrong += again.heard(colour) != news or again.position != hypothesis.position


def measure_together(tally: Tally, game: gv.Game, colour: int, number: int) -> None:
    """Find many positions at every turn, and replay the last games as a check."""
    news = game.heard(colour)
    worlds, spent = gv.Worlds(game.rules, colour, ASKED, number, 2), 0.0
    for index, item in enumerate(news):
        begun = time.process_time()
        worlds.hear(item)
        if index + 1 == len(news) or news[index + 1].actor == colour:
            tally.found += worlds.found
            tally.together.append(spent + time.process_time() - begun)
            spent = 0.0
        else:
            spent += time.process_time() - begun
    tally.wrong += sum(one.heard(colour) != news for one in worlds.games())


def _times(times_s: list[float]) -> str:
    ordered = sorted(times_s) or [0.0]
    middle, most = ordered[len(ordered) // 2], ordered[-1]
    return f"median {1000 * middle:.0f} ms, mean {1000 * sum(ordered) / len(ordered):.0f} ms, most {1000 * most:.0f} ms"


def main() -> int:
    """Measure and print a line for each SPEC."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first game, to go on with a run")
    parser.add_argument("--players", default="random")
    parser.add_argument("--spec", action="append")
    parser.add_argument("--alone", action="store_true", help="only one position at a time")
    arguments = parser.parse_args()
    for spec in arguments.spec or SPECS:
        rules, tally = gv.parse(spec), Tally()
        for count, number in enumerate(range(arguments.first, arguments.first + arguments.games), 1):
            game = played(rules, arguments.players, number)
            for colour in rules.colours:
                measure_alone(tally, game, colour, number)
                if not arguments.alone:
                    measure_together(tally, game, colour, number)
            if count % STEP == 0 or count == arguments.games:
                print(f"{spec} {arguments.players}, {count} games: {tally}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
