"""Go Fantôme: how surely and how fast positions are found that agree with what a seat heard.

    python benchmarks/imagine.py [--games 100] [--players random|greedy|phantom:playouts=100,worlds=4] [--spec SPEC]...

At random moments of each game, for both seats, `imagine` is asked for a position, and at each own turn a seat's
`Worlds` for as many as it holds; all games that come out are played anew, and must sound word for word as the true one.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gtp_variants as gv
from gtp_variants.players import bots

SPECS = (
    "phantom:size=9",
    "phantom:size=5",
    "phantom:size=7,impossible=private",
    "phantom:size=7,atari=all",
    "phantom:size=7,self_atari=new_only",
    "phantom:size=13",
)
ASKED = 16
# No game of bots is followed further than this many tries for each point.
LENGTH = 3


def played(rules: gv.Rules, players: str, number: int) -> gv.Game:
    """Game number `number` of two players of a kind, up to a random length."""
    most = random.Random(number).randint(1, LENGTH * len(rules.board))
    if players == "random":
        return gv.random_game(rules, number, most)
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour in rules.colours:
        table.seat(colour, bots.load(players), f"{number}/{colour}")
    while (colour := table.asked()) is not None and len(table.game.events) < most:
        table.answer(colour, table.choose(colour))
    return table.game


def measure(rules: gv.Rules, players: str, games: int) -> str:
    """A line with what was found."""
    alone, together, found, asked, wrong = [], [], 0, 0, 0
    for number in range(games):
        game = played(rules, players, number)
        for colour in rules.colours:
            news = game.heard(colour)
            begun = time.process_time()
            position = rules.imagine(rules.view(news, colour), random.Random(number))
            alone.append(time.process_time() - begun)
            wrong += position.taken != game.position.taken or position.turn != game.position.turn
            worlds, spent = gv.Worlds(rules, colour, ASKED, number, 2), 0.0
            for index, item in enumerate(news):
                begun = time.process_time()
                worlds.hear(item)
                if index + 1 == len(news) or news[index + 1].actor == colour:
                    found, asked = found + worlds.found, asked + ASKED
                    together.append(spent + time.process_time() - begun)
                    spent = 0.0
                else:
                    spent += time.process_time() - begun
            wrong += sum(one.heard(colour) != news for one in worlds.games())
    return (
        f"{rules.spec} {players}: {len(alone)} positions, all found, {wrong} wrong; imagine {_times(alone)}; "
        f"worlds {_times(together)} a turn of {len(together)}, {found / max(1, asked):.0%} of {ASKED} different"
    )


def _times(times_s: list[float]) -> str:
    ordered = sorted(times_s) or [0.0]
    middle, most = ordered[len(ordered) // 2], ordered[-1]
    return f"median {1000 * middle:.0f} ms, mean {1000 * sum(ordered) / len(ordered):.0f} ms, most {1000 * most:.0f} ms"


def main() -> int:
    """Measure and print a line for each SPEC."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--players", default="random")
    parser.add_argument("--spec", action="append")
    arguments = parser.parse_args()
    for spec in arguments.spec or SPECS:
        print(measure(gv.parse(spec), arguments.players, arguments.games), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
