"""Test bridges with failing engines, cut connections and kills: games may be lost only by play.

    python -m benchmarks.correctness.bridge_chaos cgos [--games 100] [--bots 6] [--folder FOLDER] [--port 6867]
    python -m benchmarks.correctness.bridge_chaos nngs [--games 100] [--bots 3] [--folder FOLDER] [--port 9696]
    python -m benchmarks.correctness.bridge_chaos kgs [--games 60] [--bots 3] [--size 5]
    python -m benchmarks.correctness.bridge_chaos ogs [--games 60] [--bots 3] [--size 5]

Each bot is a bridge in a process of its own with `engine.py`, a program that does wrong in every way. Between it and
the server is a proxy that cuts its lines every 5 to 16 seconds; every 20 to 60 seconds it is killed by SIGKILL and
started again. On CGOS bots meet bots, elsewhere each has a person who plays random stones; at KGS and OGS logins end,
too, and the server's habits change. CGOS and NNGS are real servers on 127.0.0.1 at `--port`, whose accounts are bot0,
human0 and so on, or else those of the tests, as KGS and OGS always are: never point this at a public one. At the end
every game must be closed in the log, the hook and the record of each bot, with the moves and the result of the server,
and none lost by time, by an illegal move or by resignation; `games.txt` in the folder says of each how it ended. Games
are counted in the folder: the same command continues.
"""

import argparse
import asyncio
import contextlib
import random
from collections import Counter
from functools import partial
from pathlib import Path

from benchmarks.correctness.bridge_chaos.bots import Bot, BotReport
from benchmarks.correctness.bridge_chaos.proxy import Proxy
from benchmarks.correctness.bridge_chaos.servers import Place, open_place
from gtp_variants.errors import VariantsError

KINDS = "cgos", "nngs", "kgs", "ogs"


async def run(kind: str, folder: Path, options: argparse.Namespace) -> list[str]:
    """Run the bots until enough games were played; return all faults found."""
    rng = random.Random()
    ended = sum(1 for each in folder.glob("bot*/ends") for _ in each.open())
    place = open_place(kind, options, ended + len(list(folder.glob("bot*/broken-off/*.sgf"))))
    if place.server is not None:
        await place.server.open()
    try:
        bots, cuts = await _live(place, folder, options, rng)
        return _report(kind, place, bots, cuts, folder)
    finally:
        if place.server is not None:
            await place.server.close()


async def _live(place: Place, folder: Path, options: argparse.Namespace, rng: random.Random) -> tuple[list[Bot], int]:
    """Return the bots after their run, and the number of cut connections."""
    bots, proxies, people = list[Bot](), list[Proxy](), []
    for number in range(options.bots):
        proxy = Proxy(place.port, rng)
        await proxy.open()
        proxies.append(proxy)
        name = f"bot{number}"
        bots.append(Bot(name, place.keys(proxy.port), place.password(name), place.game, folder, options))
        person = place.person(number, folder, rng)
        people += [(person, bots[-1])] if person is not None else []
    if place.server is not None:
        broken = sum(bot.drop_unfinished() for bot in bots)
        print(f"{broken} games of an earlier run were broken off with it" if broken else "", end="\n" * bool(broken))

    def is_calm() -> bool:
        is_done = bool(sum(bot.ends for bot in bots) >= options.games * (2 if place.pairs_bots else 1))
        for proxy in proxies:
            proxy.is_calm = is_done
        return is_done

    await asyncio.gather(
        *(bot.live(rng, is_calm) for bot in bots),
        *(live(is_calm, partial(getattr, bot, "is_over")) for live, bot in people),
    )
    return bots, sum(proxy.cuts for proxy in proxies)


def _report(kind: str, place: Place, bots: list[Bot], cuts: int, folder: Path) -> list[str]:
    """Print how the games ended; return all faults found."""
    reports = [bot.report() for bot in bots]
    results = Counter(game.kind for report in reports for game in report.games)
    counted = ", ".join(f"{count} {each}" for each, count in sorted(results.items()))
    kills = sum(bot.kills for bot in bots)
    print(f"{kind}: {results.total()} games of {len(bots)} bots: {counted}; {cuts} cuts, {kills} kills this time")
    (folder / "games.txt").write_text("".join(_lines(bots, reports)))
    # If both players are our bots, neither may win that way.
    bad = " by " if place.pairs_bots else "lost by"
    faults = [fault for report in reports for fault in report.faults] + place.faults(bots, reports)
    return faults + [f"{count} {each}" for each, count in results.items() if bad in each]


def _lines(bots: list[Bot], reports: list[BotReport]) -> list[str]:
    return [
        f"{bot.name}\t{game.record.name}\t{len(game.moves)} moves\t{game.result}\t{game.kind}\n"
        for bot, report in zip(bots, reports, strict=True)
        for game in report.games
    ]


def main(words: list[str]) -> int:
    """Run; the exit status is 1 if anything was wrong."""
    name = "python -m benchmarks.correctness.bridge_chaos"
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--bots", type=int, default=3)
    parser.add_argument("--faults", type=float, default=0.1, help="the share of moves that are faults")
    parser.add_argument("--settle", type=float, default=25.0, help="seconds at the end in which nothing is disturbed")
    parser.add_argument("--clock", type=int, default=120, help="seconds a player and game on the local CGOS")
    parser.add_argument("--size", type=int, default=5, help="of the boards at KGS and OGS")
    parser.add_argument("--folder", type=Path, default=Path("out/bridge-chaos"))
    parser.add_argument("--port", type=int, default=0, help="a server of CGOS or NNGS on 127.0.0.1")
    options = parser.parse_args(words)
    folder = (options.folder / options.kind).resolve()
    faults: list[str] = []
    with contextlib.suppress(KeyboardInterrupt, VariantsError):
        faults = asyncio.run(run(options.kind, folder, options))
    for fault in faults:
        print(fault)
    return int(bool(faults))
