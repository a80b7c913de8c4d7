"""Measure a full house: people in games at simulated browsers, bots and watchers, on one server beside a bare echo.

    python -m benchmarks.servers.full_house                     # 500 people, 200 bots, 300 watchers
    python -m benchmarks.servers.full_house --people 20 --bots 10 --watchers 10 --rate 10 --seconds 5

Guests meet in the lobby and play Aléago through WebSockets, as browsers do; bots play Go by the line protocol. A move
is timed from the socket that sends it to the socket of the other side that reads it. All clients are this process,
which shares the processors with the server; the echo of a line by a process that does nothing else says how much of a
figure is the computer's. `--profile` writes what the server did most.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.servers.public_server import (
    Crowd,
    Pace,
    cpu_of,
    free_port,
    percentile,
    start,
    time_echoes,
    until_open,
    waited_of,
)

GAME, SPEC_OF_PEOPLE = "aleago", "aleago:size=9"
# Browsers of one address, fewer than the server admits from one.
_FROM_ONE_ADDRESS = 200
# Connections that are opened at the same time.
_AT_ONCE = 20


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
            if sent_s is not None:
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


async def measure(options: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Fill a server, and return its figures."""
    port, site = free_port(), free_port()
    more = [SPEC_OF_PEOPLE, f"--http={site}", "--players=2000", "--half-open=1000", "--from-one-address=1000"]
    server = start(folder, port, more)
    await until_open(port, server)
    house, crowd = House(site, Pace(options.rate)), Crowd(port, Pace(options.bot_rate))
    tasks = [asyncio.create_task(crowd.bot(f"bot{number:03}")) for number in range(options.bots)]
    try:
        await until(lambda: len(crowd.figures.seated) == options.bots, options.patience)
        tasks += [asyncio.create_task(house.person(number)) for number in range(options.people)]
        await until(lambda: house.seated >= options.people, options.patience)
        tasks += [asyncio.create_task(house.watcher(number)) for number in range(options.watchers)]
        await until(lambda: house.watching == options.watchers, options.patience)
        found: dict[str, float] = {
            "people in games": house.seated,
            "bots in games": len(crowd.figures.seated),
            "watchers": house.watching,
        }
        house.pace.is_open.set()
        crowd.pace.is_open.set()
        await asyncio.sleep(3.0)
        moves, by_bots, echoes = house.moves_s, crowd.figures.moves_s, list[float]()
        moves.clear()
        by_bots.clear()
        echo = asyncio.create_task(time_echoes(echoes))
        since, cpu_s, waited_s, heard = time.monotonic(), cpu_of(server.pid), waited_of(server.pid), house.heard
        own_s = time.process_time()
        await asyncio.sleep(options.seconds)
        echo.cancel()
        took_s = time.monotonic() - since
        found["people's moves/s"] = len(moves) / took_s
        found["bots' moves/s"] = len(by_bots) / took_s
        found["messages to watchers/s"] = (house.heard - heard) / took_s
        found["server's processor, %"] = 100 * (cpu_of(server.pid) - cpu_s) / took_s
        found["clients' processor, %"] = 100 * (time.process_time() - own_s) / took_s
        found["waits for a processor, %"] = 100 * (waited_of(server.pid) - waited_s) / took_s
        for share in (0.5, 0.99):
            for what, values in (("person's move", moves), ("bot's move", by_bots), ("echo", echoes[1:])):
                found[f"p{100 * share:g} of a {what}, ms"] = 1000 * percentile(values, share)
        failed = [task for task in tasks if task.done()]
        found["clients that failed"] = len(failed)
        for task in failed[:3]:
            sys.stderr.write(f"{task.exception()!r}\n")
    finally:
        crowd.is_over = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        server.terminate()
        server.wait()
    return found


def main() -> int:
    """Measure and print; return 1 if a client failed or did not come in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--watchers", type=int, default=300)
    parser.add_argument("--rate", type=float, default=50.0, help="moves a second of all people together")
    parser.add_argument("--bot-rate", type=float, default=100.0, help="moves a second of all bots together")
    parser.add_argument("--seconds", type=float, default=20.0, help="for which moves are timed")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds to wait for each crowd")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(options, Path(folder)))
        with contextlib.suppress(OSError):
            sys.stderr.writelines((Path(folder) / "server.log").read_text().splitlines(keepends=True)[-0:0])
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for key, value in found.items():
        print(f"  {key:28} {value:10.2f}")
    wanted = (options.people, options.bots, options.watchers)
    came = (found["people in games"], found["bots in games"], found["watchers"])
    return int(found["clients that failed"] > 0 or any(map(float.__lt__, map(float, came), map(float, wanted))))


if __name__ == "__main__":
    sys.exit(main())
