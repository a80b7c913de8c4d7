"""How strong the bot for Go Fantôme is: series of games with an interval for the share that it wins.

    python benchmarks/phantom.py [--games 100] [--seconds 0.1] [--size 9] [--against NAME]... [--first 0]

`uniform` and `greedy` are the bots of these names.

`blind` is the same bot with the same time, its positions sampled without looking at the news: the right number of
stones, anywhere. `tenth` is the same bot with a tenth of the time. Each player has each colour in half of the games;
seconds are those of the searching thread's own work, so that other work on the machine does not bend the result.
The interval is Wilson's, for 95%.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gtp_variants as gv
from gtp_variants.bots.phantom import Phantom
from gtp_variants.players import bots

# A game of more tries than this is broken off; it counts as lost for nobody.
MOST_TRIES = 5000


class Blind(Phantom):
    """The same search, on positions that know only how many stones are hidden."""

    def imagined(self, view: gv.View, enough: Callable[[float], bool]) -> Sequence[tuple[gv.Position, int]]:
        return [(self._anywhere(view), 1) for _ in range(self.worlds)]

    def _anywhere(self, view: gv.View) -> gv.Position:
        board, other = self.rules.board, 3 - self.colour
        stones, left = bytearray(view.stones), view.hidden
        points = [point for point, there in enumerate(stones) if not there]
        self.rng.shuffle(points)
        for point in points:
            if not left:
                break
            stones[point] = other
            near = [point, *(there for there in board.neighbours[point] if stones[there])]
            if all(gv.liberties(board, stones, gv.chain(board, stones, there)) for there in near):
                left -= 1
            else:
                stones[point] = gv.EMPTY
        return self.rules.start({point: there for point, there in enumerate(stones) if there}, self.colour)


def player(name: str, seconds: float) -> gv.Player:
    """A player of a series by name."""
    if name in ("uniform", "greedy"):
        return bots.load(name)
    bot = Blind() if name == "blind" else Phantom()
    bot.seconds, bot.cpu_time = (seconds / 10 if name == "tenth" else seconds), True
    return bot


def play(rules: gv.Rules, names: dict[int, str], seconds: float, number: int) -> tuple[int | None, int]:
    """Who wins game number `number`, None for nobody, and how many tries it took."""
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour, name in names.items():
        table.seat(colour, player(name, seconds), f"{number}/{colour}")
    tries = 0
    while (colour := table.asked()) is not None and tries < MOST_TRIES:
        table.answer(colour, table.choose(colour))
        tries += 1
    outcome = table.game.outcome
    return (outcome.winner if outcome is not None and table.is_final else None), tries


def wilson(won: float, games: int) -> tuple[float, float]:
    """The interval that holds the true share with 95%."""
    z, share = 1.96, won / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def main() -> int:
    """Play the series and print a line after each game."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first game, to go on with a series")
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--against", action="append", choices=["uniform", "greedy", "blind", "tenth"])
    arguments = parser.parse_args()
    rules = gv.parse(f"phantom:size={arguments.size}")
    for against in arguments.against or ["uniform", "greedy", "blind", "tenth"]:
        won = 0.0
        for count, number in enumerate(range(arguments.first, arguments.first + arguments.games), 1):
            own = gv.BLACK if number % 2 == 0 else gv.WHITE
            begun = time.monotonic()
            winner, tries = play(rules, {own: "phantom", 3 - own: against}, arguments.seconds, number)
            won += 0.5 if winner is None else float(winner == own)
            low, high = wilson(won, count)
            print(
                f"{against} game {number}: {'nobody' if winner is None else 'won' if winner == own else 'lost'} "
                f"({tries} tries, {time.monotonic() - begun:.0f} s); {won:g} of {count}: "
                f"{won / count:.1%} ({low:.1%} to {high:.1%})",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
