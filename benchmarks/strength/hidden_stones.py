"""How well hidden stones of Go Fantôme are known: by games that agree with the news, by a network, by both.

    python -m benchmarks.strength.hidden_stones [--net FILE] [--player BOT] [--games 12] [--size 9]
        [--worlds 64] [--every 6]

Bots play without the network; at every so many tries the seat to move is asked where the other's stones are. A line for
each way: the loss in nats of each point that the seat does not see (log loss of its chance against the truth, lower is
better), and the mean chance that is given to the points where a stone does stand. `network^T` are games in which the
network's odds count to the power of T; `uniform` those without the fitted prior of placements.
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
    """What is true and what the seat to move was told, at every so many tries of a game."""
    table = gv.Table(rules, lambda: gv.DiceStream("no dice"))
    for colour in rules.colours:
        table.seat(colour, bots.load(player), f"{seed}/{colour}")
    while not rules.is_over(table.position):
        seat = table.position.to_play
        if len(table.game.events) % every == every - 1:
            yield table.position, rules.view(table.game.heard(seat), seat)
        table.answer(seat, table.choose(seat))


def raise_odds(chances: tuple[float, ...], power: float) -> list[float]:
    """Chances whose odds are those given to a power."""
    pairs = [(max(chance, 1e-6) ** power, max(1 - chance, 1e-6) ** power) for chance in chances]
    return [yes / (yes + no) for yes, no in pairs]


def imagine(rules: gv.Rules, view: gv.View, worlds: int, prior: str, expected: list[float] | None) -> list[float]:
    """The share of games that agree, stone by stone, never quite none or all."""
    made = gv.Worlds(rules, view.colour, worlds, 1, prior=prior)
    for news in view.news:
        made.hear(news)
    if expected is not None:
        made.expect(expected)
    return [(share * worlds + 0.25) / (worlds + 0.5) for share in made.stones()]


def main() -> None:
    """Play, ask, and print a line for each way."""
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
