"""Bridges whose engines fail in every way, whose lines are cut and who are killed: no game is lost but by play.

    python benchmarks/bridge_chaos.py cgos [--games 100] [--bots 6] [--folder out/bridge-chaos] [--port 6867]
    python benchmarks/bridge_chaos.py nngs [--games 100] [--bots 3] [--folder out/bridge-chaos] [--port 9696]

Each bot is a bridge in a process of its own with `chaos_engine.py`. Between it and the server is a proxy that cuts its
line every 5 to 16 seconds; every 20 to 60 seconds it is killed by SIGKILL and started again. On NNGS a random player
plays each. Without `--port` the local server of the tests is used, else one on 127.0.0.1, whose accounts are bot0,
human0 and so on: never point this at a public one. At the end every game must be closed in the log, the hook and the
record of each bot, and none lost by time, by an illegal move or by resignation. Games are counted in the folder: the
same command goes on.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import shlex
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.server import PLAYING, SCORING, Challenge, GameUpdate, MoveNote, ServerGame
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.errors import PeerError, VariantsError
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import read_move, write_move
from gtp_variants.rules import parse
from gtp_variants.rules.game import Game

ENGINE = Path(__file__).with_name("chaos_engine.py")
CUT_S, KILL_S = (5.0, 16.0), (20.0, 60.0)
PASSWORD = "chaos-4711"
# How a server says that a game was lost otherwise than by play.
_NOT_BY_PLAY = re.compile("Time|Illegal|Resign|resigns\\.$|time")
_ASKS_EVERY_S = 3.0
_LAST_GAME_S = 300.0


class Proxy:
    """A line to the server that breaks; `stop` is when it does so no more."""

    def __init__(self, port: int, rng: random.Random) -> None:
        self._to, self._rng = port, rng
        self.port, self.cuts, self.is_calm = 0, 0, False

    async def open(self) -> None:
        """Listen."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        pumps = [asyncio.create_task(_pump(*ends)) for ends in ((reader, back), (there, writer))]
        timeout = None if self.is_calm else self._rng.uniform(*CUT_S)
        done, _ = await asyncio.wait(pumps, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        self.cuts += not done
        for pump in pumps:
            pump.cancel()
        for end in (writer, back):
            end.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


class Bot:
    """A bridge in a process, killed and started again."""

    def __init__(self, name: str, kind: str, port: int, folder: Path, options: argparse.Namespace) -> None:
        faults, self._settle_s = options.faults, options.settle
        self.name, self.folder = name, folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kills = 0
        self._is_over = False
        password = self.folder / "password"
        password.write_text(PASSWORD + "\n")
        password.chmod(0o600)
        hook = f"sh -c 'echo $GTP_VARIANTS_RESULT $GTP_VARIANTS_RECORD >> {shlex.quote(str(self.folder / 'ends'))}'"
        self.file = self.folder / "bridge.yaml"
        self.file.write_text(
            f"bridge: 1\nname: {name}\ngame: go:size=9\n"
            f"server: {{type: {kind}, host: 127.0.0.1, port: {port}, account: {name}, "
            f"password: {{file: {password}}}}}\n"
            f"engine:\n  command: [{sys.executable}, {ENGINE}, '{faults}']\n  fallback: greedy\n  grace: 100ms\n"
            f"  failed_games: 1000000\n  limits: {{command: 4s}}\n"
            f"challenges: {{sizes: [9]}}\nreconnect: {{first: 500ms}}\n"
            f"outputs: {{dir: {self.folder / 'out'}, keep_logs: 100000, log_files: 100}}\n"
            f"hooks: {{on_game_end: {json.dumps(hook)}}}\n"
        )

    async def live(self, rng: random.Random, is_calm: Callable[[], bool]) -> None:
        """Run, and be killed now and then, until `is_calm`; then be told to end."""
        while not self._is_over:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gtp_variants", "bridge", str(self.file)),
                stderr=asyncio.subprocess.DEVNULL,
            )
            try:
                await self._wait_and_kill(process, rng.uniform(*KILL_S), is_calm)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _wait_and_kill(
        self, process: asyncio.subprocess.Process, lives_s: float, is_calm: Callable[[], bool]
    ) -> None:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + lives_s
        while process.returncode is None and loop.time() < ends_at and not is_calm():
            await asyncio.sleep(0.2)
        if not is_calm():
            self.kills += 1
            return
        # What ended meanwhile is closed by now, and a game that began meanwhile is played to its end.
        await asyncio.sleep(self._settle_s)
        while self.has_game() and loop.time() < ends_at + _LAST_GAME_S:
            await asyncio.sleep(0.2)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_GAME_S)
        self._is_over = True

    def stored(self) -> list[Path]:
        """The games that it has not closed."""
        return sorted((self.folder / "out" / "games").glob("*.json"))

    def has_game(self) -> bool:
        """Whether a game is not closed yet."""
        return bool(self.stored())

    def report(self) -> tuple[Counter[str], list[str]]:
        """How its games ended, for it, and what is not as it must be."""
        faults: list[str] = []
        records = sorted((self.folder / "out" / "records").glob("*.sgf"))
        ends = [line.split(" ", 1) for line in _lines(self.folder / "ends")]
        log = "".join(path.read_text(errors="replace") for path in sorted((self.folder / "out").glob("bridge.log*")))
        results: Counter[str] = Counter()
        told = Counter(path for _, path in ends)
        for path in records:
            record = load_record(path)
            count = told.pop(str(path), 0)
            if record.result is None:
                faults.append(f"{path.name}: no result")
            if count != 1:
                faults.append(f"{path.name}: the hook was told {count} times")
            results[self._kind(record.players, record.result or "")] += 1
        over = len(re.findall(r": over, ", log))
        if over < len(records):
            faults.append(f"{len(records)} records, {over} ends in the log")
        faults += [f"the hook was told of {path}, which is no record" for path in told]
        faults += [f"still stored: {path.name}" for path in self.stored()]
        faults += [f"'unexpected' {log.count('unexpected')} times in the log"] if "unexpected" in log else []
        return results, [f"{self.name}: {fault}" for fault in faults]

    def _kind(self, players: "dict[int, str] | object", result: str) -> str:
        assert isinstance(players, dict)
        mine = next((colour for colour, name in players.items() if name.lower() == self.name.lower()), 0)
        winner = {"B": 1, "W": 2}.get(result[:1], 0)
        how = {"T": " by time", "F": " by forfeit", "R": " by resignation"}.get(result[2:], "")
        return "unknown" if not winner else f"{'won' if winner == mine else 'lost'}{how}"


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []


class RandomPlayer:
    """Somebody at NNGS who plays one of the bots again and again, random stones until the board is nearly full."""

    def __init__(self, name: str, bot: str, port: int, folder: Path, rng: random.Random) -> None:
        self.name, self.bot, self._rng = name, bot, rng
        self._is_on = False
        self._played: tuple[str, int] | None = None
        self._config = config_file.read(
            f"bridge: 1\nserver: {{type: nngs, host: 127.0.0.1, port: {port}, account: {name}, "
            f"password: {{file: {folder / bot / 'password'}}}}}\ngame: go:size=9\nengine: {{bot: uniform}}\n",
            name,
            folder,
        )

    async def live(self, is_calm: Callable[[], bool], has_game: Callable[[], bool]) -> None:
        """Log in and play until it is calm, and then until the bot `has_game` no more."""
        while not is_calm() or has_game():
            server = Nngs(self._config, lambda line: None, is_igs=False)
            try:
                self._is_on = False
                await server.login()
                asking = asyncio.create_task(self._ask(server, is_calm, has_game))
                try:
                    async for event in server.events():
                        if isinstance(event, GameUpdate):
                            await self._act(server, event.game)
                        elif isinstance(event, Challenge):
                            await server.decline(event.user)
                finally:
                    asking.cancel()
            except (PeerError, OSError):
                await asyncio.sleep(1)
            finally:
                await server.close()

    async def _ask(self, server: Nngs, is_calm: Callable[[], bool], has_game: Callable[[], bool]) -> None:
        """Go on with the game that was left, or else, until it is calm, ask for one, again and again."""
        while not is_calm() or has_game():
            asks = (f"load {self.bot}-{self.name}", f"match {self.bot} b 9 5 0")
            for command in asks[:1] if is_calm() else asks:
                with contextlib.suppress(PeerError):
                    if not self._is_on:
                        await server._line.write(command)
                await asyncio.sleep(_ASKS_EVERY_S)
        await server.close()

    async def _act(self, server: Nngs, game: ServerGame) -> None:
        self._is_on = game.phase in (PLAYING, SCORING)
        if game.phase == SCORING:
            await server.agree(game)
        elif game.awaits_move and self._played != (game.key + game.created, len(game.moves)):
            self._played = game.key + game.created, len(game.moves)
            await server.play(game, self._choose(game), MoveNote())

    def _choose(self, game: ServerGame) -> str:
        rules = parse(f"go:size={game.size},repetition=simple")
        here = Game(rules)
        for colour, word in game.moves:
            here.play(colour, read_move(rules.board, word))
        free = [point for point in rules.legal(here.position) if point >= 0]
        if len(game.moves) > 1.2 * len(rules.board) or not free:
            return "pass"
        return write_move(rules.board, self._rng.choice(free))


def records_of(bots: list[Bot]) -> int:
    """How many games ended so far, as the bots' hooks were told."""
    return sum(len(_lines(bot.folder / "ends")) for bot in bots)


@contextlib.asynccontextmanager
async def local_server(kind: str, clock_s: int, faults: list[str]) -> AsyncIterator[int]:
    """The server of the tests, on CGOS with `clock_s` seconds a player and game; its port.

    At the end the games that it saw lost otherwise than by play are faults.
    """
    # Only a checkout has it.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    if kind == "cgos":
        from tests.bridge.fakes.cgos_server import CgosServer

        async with CgosServer(size=9, level_ms=1000 * clock_s) as cgos:
            yield cgos.port
            results = [match.result for match in cgos.finished]
    else:
        from tests.bridge.fakes.nngs_server import NngsServer

        async with NngsServer({"bot0": PASSWORD, "human0": PASSWORD}) as nngs:
            yield nngs.port
            results = [match.result for match in nngs.finished]
    faults += [f"the server says {result}" for result in results if _NOT_BY_PLAY.search(result)]


async def run(kind: str, port: int, folder: Path, options: argparse.Namespace) -> list[str]:
    """Let the bots live until there were games enough; what is not as it must be."""
    rng = random.Random()
    bots, proxies, work = [], [], list[Awaitable[None]]()
    for number in range(options.bots):
        proxy = Proxy(port, rng)
        await proxy.open()
        proxies.append(proxy)
        bots.append(Bot(f"bot{number}", kind, proxy.port, folder, options))

    def is_calm() -> bool:
        done = bool(records_of(bots) >= options.games * (2 if kind == "cgos" else 1))
        for proxy in proxies:
            proxy.is_calm = done
        return done

    work += [bot.live(rng, is_calm) for bot in bots]
    if kind == "nngs":
        work += [
            RandomPlayer(f"human{i}", bot.name, port, folder, rng).live(is_calm, bot.has_game)
            for i, bot in enumerate(bots)
        ]
    await asyncio.gather(*work)
    results: Counter[str] = Counter()
    faults: list[str] = []
    for bot in bots:
        found, wrong = bot.report()
        results += found
        faults += wrong
    cuts, kills = sum(proxy.cuts for proxy in proxies), sum(bot.kills for bot in bots)
    counted = ", ".join(f"{count} {each}" for each, count in sorted(results.items()))
    print(f"{kind}: {sum(results.values())} games of {len(bots)} bots: {counted}; {cuts} cuts, {kills} kills this time")
    # On CGOS both are bots of ours.
    bad = " by " if kind == "cgos" else "lost by"
    return faults + [f"{count} {each}" for each, count in results.items() if bad in each]


async def main() -> int:
    """Run; the exit status is 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("cgos", "nngs"))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--bots", type=int, default=6)
    parser.add_argument("--faults", type=float, default=0.1, help="the share of moves that are faults")
    parser.add_argument("--settle", type=float, default=25.0, help="seconds at the end in which nothing is disturbed")
    parser.add_argument("--clock", type=int, default=120, help="seconds a player and game on the local CGOS")
    parser.add_argument("--folder", type=Path, default=Path("out/bridge-chaos"))
    parser.add_argument("--port", type=int, help="a server on 127.0.0.1; by default that of the tests")
    options = parser.parse_args()
    folder = (options.folder / options.kind).resolve()
    faults: list[str] = []
    async with contextlib.AsyncExitStack() as stack:
        port = options.port or await stack.enter_async_context(local_server(options.kind, options.clock, faults))
        faults += await run(options.kind, port, folder, options)
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    os.nice(5)
    with contextlib.suppress(KeyboardInterrupt, VariantsError):
        sys.exit(asyncio.run(main()))
