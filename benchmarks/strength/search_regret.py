"""How much worse a search's moves are than the best ones, as judged by a much longer search.

    python -m benchmarks.strength.search_regret begin SPEC POSITIONS.jsonl --openings FILE [--count 250] [--deep 40000]
    python -m benchmarks.strength.search_regret compare POSITIONS.jsonl PLAYOUTS[,KEY=VALUE...]... [--seeds 3]

`begin` takes positions from games that short searches play on from openings, one in eight plies as long as both sides
have a chance, and searches each deeply; a stopped run can continue. `compare` has each way of searching choose a
move in every position and tells the mean regret: the share of the best move less that of the chosen one. The first way
is what the others are compared with, position by position, so that a few hundred positions tell what takes a thousand
games. Ways that take as long have different numbers of playouts: measure that first. For open games; needs the kernel
and the package's network of the game.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import gtp_variants as gv
from benchmarks.strength.matches.game import opening_lines
from gtp_variants.base.json_values import Json

SHORT_PLAYOUTS, PLIES, STEP = 300, 60, 8
# Minimum share of each side.
LEAST_CHANCE = 0.08
# A move with a smaller share of the deep search's visits gets its own search, shorter by this factor.
VISITED, OWN_SEARCH = 1 / 25, 2 / 5


def search(rules: gv.Rules, position: gv.Position, playouts: int, seed: int, **settings: Any) -> gv.SearchResult:
    """Search with the package's network, as the bot does; return the shares that it compares."""
    thinker = gv.Thinker(rules, seed, network="auto", **{"calibration": 1.0, **settings})
    return thinker.think(position, playouts=playouts)


def after(rules: gv.Rules, moves: Sequence[int]) -> gv.Position:
    position = rules.start()
    for move in moves:
        position = rules.play(position, move)
    return position


def throw(rules: gv.Rules, moves: Sequence[int], rng: Random) -> list[int]:
    """Play the moves, and throw any dice that are due next."""
    position = after(rules, moves)
    if position.to_play != gv.CHANCE:
        return list(moves)
    return [*moves, *rng.choices(rules.actions(position), rules.odds(position))]


def opening_moves(rules: gv.Rules, line: str, rng: Random) -> list[int]:
    """Return the moves of a line of an opening file, with draws that allow them."""
    table = gv.Table(rules, lambda: gv.DiceStream(f"regret {line}"))
    for vertex in line.split():
        # The stones of a file show which lines were open.
        table.play_for_host(table.position.mover, rules.board.point(vertex))
    return throw(rules, [event.action for event in table.game.events], rng)


def begin(options: argparse.Namespace) -> None:
    """Find the positions and search them deeply."""
    rules, rng = gv.parse(options.spec), Random("regret")
    openings = [opening_moves(rules, line, rng) for line in opening_lines(options.openings)]
    rng.shuffle(openings)
    done = len(options.file.read_text(encoding="utf-8").splitlines()) if options.file.exists() else 0
    # Earlier games are not repeated: each opening gives only a few positions.
    with options.file.open("a", encoding="utf-8") as file:
        for moves in openings[done // (PLIES // STEP + 1) :]:
            first = rng.randrange(STEP)
            for ply in range(PLIES):
                position = after(rules, moves)
                if done >= options.count or rules.is_over(position):
                    break
                if ply % STEP == first:
                    deep = search(rules, position, options.deep, 1)
                    if not LEAST_CHANCE < deep.values[0] < 1 - LEAST_CHANCE:
                        break
                    row = {"spec": options.spec, "moves": moves, "deep": options.deep}
                    row |= {"visits": dict(deep.visits), "shares": dict(deep.shares), "own": {}}
                    file.write(json.dumps(row) + "\n")
                    file.flush()
                    done += 1
                    print(f"{done}/{options.count}", flush=True)
                move = search(rules, position, SHORT_PLAYOUTS, rng.randrange(10**6)).action
                moves = throw(rules, [*moves, move], rng)


def share_of(rules: gv.Rules, row: Json, position: gv.Position, move: int) -> float:
    """Return the share of the side to play after a move, as judged by a deep search."""
    key = str(move)
    if row["visits"].get(key, 0) >= VISITED * row["deep"]:
        return float(row["shares"][key])
    if key not in row["own"]:
        below = rules.play(position, move)
        outcome = rules.outcome(below)
        if outcome is not None:
            row["own"][key] = 0.5 if outcome.winner == gv.EMPTY else float(outcome.winner == position.mover)
        else:
            found = search(rules, below, int(OWN_SEARCH * row["deep"]), 1)
            row["own"][key] = found.values[rules.colours.index(position.mover)]
    return float(row["own"][key])


def compare(options: argparse.Namespace) -> None:
    """Print the regret of each way of searching."""
    rows: list[Json] = [json.loads(line) for line in options.file.read_text(encoding="utf-8").splitlines()]
    first: list[float] | None = None
    for way in options.ways:
        playouts, *pairs = way.split(",")
        settings = {key: json.loads(value) for key, value in (pair.split("=") for pair in pairs)}
        regrets, same = [], 0
        for row in rows:
            rules = gv.parse(row["spec"])
            position = after(rules, row["moves"])
            best = max(row["visits"], key=row["visits"].__getitem__)
            lost = []
            for seed in range(options.seeds):
                move = search(rules, position, int(playouts), 100 + seed, **settings).action
                lost.append(100 * (row["shares"][best] - share_of(rules, row, position, move)))
                same += move == int(best)
            regrets.append(mean(lost))
        # Searches of single moves are stored for later comparisons.
        options.file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        first = first or regrets
        differences = [mine - theirs for mine, theirs in zip(regrets, first, strict=True)]
        error = stdev(differences) / len(rows) ** 0.5
        agreed = 100 * same / (len(rows) * options.seeds)
        print(
            f"{way}: best move in {agreed:.1f}%, regret {mean(regrets):.3f}%, {mean(differences):+.3f} +- {error:.3f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("begin")
    one.add_argument("spec")
    one.add_argument("file", type=Path)
    one.add_argument("--openings", required=True)
    one.add_argument("--count", type=int, default=250)
    one.add_argument("--deep", type=int, default=40_000)
    one.set_defaults(run=begin)
    other = parts.add_parser("compare")
    other.add_argument("file", type=Path)
    other.add_argument("ways", nargs="+")
    other.add_argument("--seeds", type=int, default=3)
    other.set_defaults(run=compare)
    given = parser.parse_args()
    given.run(given)
