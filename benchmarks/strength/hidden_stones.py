"""How well hidden stones of Go Fantôme are predicted: by games that agree with the news, a network, or both.

    python -m benchmarks.strength.hidden_stones [--net FILE] [--player BOT] [--games 12] [--size 9]
        [--worlds 64] [--every 6]

Bots play without the network; after every few tries the seat to move predicts the other's stones. The output has a line
for each method: the log loss in nats per point that the seat does not see (lower is better), and the mean chance given
to points with a stone. `network^T` means games weighted by the network's odds to the power of T, `uniform` games
without the fitted prior of placements.
"""

import argparse
import sys
from collections.abc import Iterator
from math import log

import gtp_variants as gv
from gtp_variants.players import bots

LEAST = 0.002
POWERS = (0.25, 0.5, 0.75, 1.0, 1.5)
PLAYER = "phantom:playouts=400,worlds=16,hidden_net=none"


def moments(rules: gv.Rules, player: str, seed: int, every: int) -> Iterator[tuple[gv.Position, gv.View]]:
    """Yield true positions and the seat's news at regular intervals of a game."""
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour in rules.colours:
        table.seat(colour, bots.load(player), f"{seed}/{colour}")
    while not rules.is_over(table.position):
        seat = table.position.to_play
        if len(table.game.events) % every == every - 1:
            yield table.position, rules.view(table.game.heard(seat), seat)
        table.answer(seat, table.choose(seat))


def raise_odds(chances: tuple[float, ...], power: float) -> list[float]:
    """Return chances with their odds raised to a power."""
    pairs = [(max(chance, 1e-6) ** power, max(1 - chance, 1e-6) ** power) for chance in chances]
    return [yes / (yes + no) for yes, no in pairs]


def imagine(rules: gv.Rules, view: gv.View, worlds: int, prior: str, expected: list[float] | None) -> list[float]:
    """Return the share of agreeing games with a stone on each point, never exactly 0 or 1."""
    made = gv.Worlds(rules, view.colour, worlds, 1, prior=prior)
    for news in view.news:
        made.hear(news)
    if expected is not None:
        made.expect(expected)
    return [(share * worlds + 0.25) / (worlds + 0.5) for share in made.stones()]


def main() -> None:
    """Play the games, predict, and print a line for each method."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--net", default="auto")
    parser.add_argument("--player", default=PLAYER)
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--every", type=int, default=6)
    options = parser.parse_args()
    rules = gv.parse(f"phantom:size={options.size}")
    sums: dict[str, list[float]] = {}
    for seed in range(options.games):
        for position, view in moments(rules, options.player, seed, options.every):
            alone = gv.hidden_stone_chances(rules, view, options.net)
            ways = {"games alone": imagine(rules, view, options.worlds, "fitted", None)}
            if alone is not None:
                ways["network alone"] = list(alone)
                for power in POWERS:
                    expected = raise_odds(alone, power)
                    ways[f"games, network^{power}"] = imagine(rules, view, options.worlds, "fitted", expected)
                    ways[f"games, network^{power}, uniform"] = imagine(rules, view, options.worlds, "uniform", expected)
            for way, chances in ways.items():
                total = sums.setdefault(way, [0.0, 0.0, 0.0, 0.0])
                for chance, stone, seen in zip(chances, position.stones, view.stones, strict=True):
                    if seen:
                        continue
                    bounded = min(max(chance, LEAST), 1 - LEAST)
                    total[0] -= log(bounded if stone else 1 - bounded)
                    total[1] += 1
                    total[2] += bounded if stone else 0.0
                    total[3] += bool(stone)
        sys.stderr.write(f"{seed + 1} of {options.games} games\n")
    for way, (loss, points, right, stones) in sums.items():
        print(f"{way:32} loss {loss / points:.4f}   chance of a stone that is there {right / stones:.1%}")


if __name__ == "__main__":
    main()
