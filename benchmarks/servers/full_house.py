"""Measure a full house: people in games at simulated browsers, bots and watchers, on one server beside a bare echo.

    python -m benchmarks.servers.full_house --first             # 500 people, 200 bots, 300 watchers
    python -m benchmarks.servers.full_house --people 20 --bots 10 --watchers 10 --rate 10 --seconds 5

Guests meet in the lobby and play Aléago through WebSockets, as browsers do; bots play Go by the line protocol. A move
is timed from the socket that sends it to the socket of the other side that reads it. All clients are this process. It
shares the processors with the server, and an echo of a line by a process that does nothing else says how much of a
figure is the computer's. Several rates are measured one after the other, to see where the server bends.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.servers.public_server import (
    SPEC,
    Crowd,
    Pace,
    cpu_of,
    free_port,
    percentile,
    show_stretches,
    start,
    take_precedence,
    time_echoes,
    until_open,
    waited_of,
)

GAME, SPEC_OF_PEOPLE = "aleago", "aleago:size=9"
# Browsers of one address, fewer than the server admits from one.
_FROM_ONE_ADDRESS = 200
# Connections that are opened at the same time.
_AT_ONCE = 20
# Seconds at a rate before moves are timed.
_WARMING_S = 3.0


class House:
    """The people and watchers of a server whose site is at `port`. Moves come at the pace of all together."""

    def __init__(self, port: int, pace: Pace) -> None:
        self.port, self.pace = port, pace
        self.moves_s: list[float] = []
        self.games: set[str] = set()
        self.seated = self.watching = self.heard = 0
        # When a move was sent, by the game and its turn.
        self._sent: dict[tuple[str, int], float] = {}
        self._opening = asyncio.Semaphore(_AT_ONCE)

    async def _dial(self, number: int, path: str, cookie: str = "") -> ClientConnection:
        async with self._opening:
            return await connect(
                f"ws://127.0.0.1:{self.port}{path}",
                additional_headers={"Cookie": cookie} if cookie else {},
                local_addr=(f"127.0.0.{2 + number // _FROM_ONE_ADDRESS}", 0),
                compression=None,
                ping_interval=None,
                max_queue=None,
                proxy=None,
            )

    async def _cookie(self) -> str:
        async with self._opening:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            answer = (await reader.read()).decode("utf-8", "replace")
            writer.close()
        return answer.partition("set-cookie: ")[2].partition(";")[0]

    async def person(self, number: int) -> None:
        """Come as a guest, and play one game after another."""
        cookie, rng = await self._cookie(), random.Random(number)
        lobby = await self._dial(number, "/api/lobby", cookie)
        while True:
            await lobby.send(json.dumps({"do": "seek", "games": [GAME]}))
            while (told := json.loads(await lobby.recv()))["type"] != "seat":
                pass
            async with await self._dial(number, "/api/socket", cookie) as table:
                await table.send(json.dumps({"join": told["game"]}))
                await self._play(table, told["game"], rng)

    async def _play(self, table: ClientConnection, game: str, rng: random.Random) -> None:
        me, state, answered = "", dict[str, Any](), 0
        while not state.get("final"):
            told = json.loads(await table.recv())
            if told["type"] == "game":
                me = told["you"]
                self.seated += 1
                self.games.add(game)
            state = told.get("state", state)
            sent_s = self._sent.pop((game, state["turn"] - 1), None) if state.get("asked") in (me, None) else None
            # A move before the other side has come to the board is not timed.
            if sent_s is not None and told["type"] != "game":
                self.moves_s.append(time.monotonic() - sent_s)
            if state.get("asked") == me and state.get("running") and state["turn"] > answered and state["legal"]:
                answered = state["turn"]
                await self.pace.wait()
                places = [word for word in state["legal"] if word != "pass"]
                what = {"do": "play", "at": rng.choice(places)} if places else {"do": "pass"}
                self._sent[game, answered] = time.monotonic()
                await table.send(json.dumps(what))
        self.games.discard(game)

    async def watcher(self, number: int) -> None:
        """Watch one game after another."""
        while True:
            game = random.choice(sorted(self.games))
            async with await self._dial(number, "/api/socket") as line:
                await line.send(json.dumps({"join": game}))
                self.watching += 1
                state = dict[str, Any]()
                while not state.get("final"):
                    state = json.loads(await line.recv()).get("state", state)
                    self.heard += 1
                self.watching -= 1


async def until(is_so: Any, limit_s: float) -> None:
    """Wait until a condition holds, up to a time limit."""
    end = time.monotonic() + limit_s
    while not is_so() and time.monotonic() < end:
        await asyncio.sleep(0.1)


async def measure(options: argparse.Namespace, folder: Path) -> int:
    """Fill a server, print its figures at each rate, and return 1 if a client failed or did not come."""
    port, site = free_port(), free_port()
    more = [f"--http={site}", "--players=2000", "--half-open=1000", "--from-one-address=1000"]
    server = start(folder, port, more, options.stretches, (SPEC, SPEC_OF_PEOPLE))
    await until_open(port, server)
    house, crowd = House(site, Pace(1.0)), Crowd(port, Pace(1.0))
    tasks = [asyncio.create_task(crowd.bot(f"bot{number:03}")) for number in range(options.bots)]
    try:
        await until(lambda: len(crowd.figures.seated) == options.bots, options.patience)
        tasks += [asyncio.create_task(house.person(number)) for number in range(options.people)]
        await until(lambda: house.seated >= options.people, options.patience)
        tasks += [asyncio.create_task(house.watcher(number)) for number in range(options.watchers)]
        await until(lambda: house.watching == options.watchers, options.patience)
        here = house.seated, len(crowd.figures.seated), house.watching
        print("{} people and {} bots in games, {} watchers".format(*here))
        house.pace.is_open.set()
        crowd.pace.is_open.set()
        for rate in options.rate:
            house.pace.rate_hz, crowd.pace.rate_hz = rate, 2 * rate
            await measure_rate(options.seconds, server.pid, house, crowd)
        if options.stretches:
            show_stretches(server, folder)
        failed = [task for task in tasks if task.done()]
        for task in failed[:3]:
            print(f"a client failed: {task.exception()!r}")
    finally:
        crowd.is_over = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        server.terminate()
        server.wait()
    return int(bool(failed) or here < (options.people, options.bots, options.watchers))


async def measure_rate(seconds: float, pid: int, house: House, crowd: Crowd) -> None:
    """Measure for some seconds, and print."""
    moves, by_bots, echoes = house.moves_s, crowd.figures.moves_s, list[float]()
    await asyncio.sleep(_WARMING_S)
    moves.clear()
    by_bots.clear()
    echo = asyncio.create_task(time_echoes(echoes))
    since, cpu_s, waited_s, heard = time.monotonic(), cpu_of(pid), waited_of(pid), house.heard
    own_s = time.process_time()
    await asyncio.sleep(seconds)
    took_s = time.monotonic() - since
    print(f"{len(moves) / took_s:.0f} moves a second by people, {len(by_bots) / took_s:.0f} by bots")
    shares = cpu_of(pid) - cpu_s, waited_of(pid) - waited_s, time.process_time() - own_s
    told = "  processor {:.0%}, waiting for one {:.0%}; clients {:.0%}; {:.0f} messages a second to watchers"
    print(told.format(*(share / took_s for share in shares), (house.heard - heard) / took_s))
    for what, values in (("a person's move", moves), ("a bot's move", by_bots), ("an echo", echoes[1:])):
        half, most = (1000 * percentile(values, share) for share in (0.5, 0.99))
        print(f"  {what:16} half within {half:.1f} ms, 99% within {most:.1f} ms")
    echo.cancel()


def main() -> int:
    """Measure and print; return 1 if a client failed or did not come in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--watchers", type=int, default=300)
    parser.add_argument("--rate", type=float, nargs="+", default=[50.0], help="moves a second by people; bots twice")
    parser.add_argument("--seconds", type=float, default=20.0, help="for which moves are timed")
    parser.add_argument("--stretches", action="store_true", help="show what the server's event loop was at longest")
    parser.add_argument("--first", action="store_true", help="before all else on this computer; needs Linux, root")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds to wait for each crowd")
    options = parser.parse_args()
    if options.first:
        take_precedence()
    with tempfile.TemporaryDirectory() as folder:
        try:
            return asyncio.run(measure(options, Path(folder)))
        except RuntimeError:
            sys.stderr.write((Path(folder) / "server.log").read_text(encoding="utf-8"))
            raise


if __name__ == "__main__":
    sys.exit(main())
