"""Bridges for tests: a configuration, a running session, and people on the other side."""

import asyncio
import os
import random
import re
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.session import AccountSession
from gtp_variants.cli.compete.bridge import connect
from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record, verify
from gtp_variants.rules.boards.board import rings
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from tests.bridge.fakes.nngs_server import NngsMatch, NngsServer
from tests.support.waiting import until

PASSWORD = "tulips-7391"
ACCOUNTS = {"botty": PASSWORD, "alpha": "sesame", "bravo": "sesame"}
ALEAGO = "aleago:size=5,dice=1d3"
DEADLINE_S = 60.0
PACKAGE = Path(__file__).resolve().parents[3]
ENGINE = f"{sys.executable} -m gtp_variants gtp"


def text_of(
    kind: str,
    port: int,
    folder: Path,
    more: str = "",
    *,
    name: str = "botty",
    game: str = "go:size=5",
    server: str = "",
) -> str:
    """Return a configuration; `more` has further lines, which may replace `engine`, and `server` further keys."""
    folder.mkdir(parents=True, exist_ok=True)
    secret = folder / f"{name}.password"
    secret.write_text(PASSWORD + "\n")
    secret.chmod(stat.S_IRUSR | stat.S_IWUSR)
    has_own = any(each in more for each in ("engine:", "role: referee", "role: private"))
    engine = "" if has_own else "engine: {bot: greedy}\n"
    reconnect = "" if "reconnect:" in more else "reconnect: {first: 20ms, most: 50ms}\n"
    return (
        f"bridge: 1\nname: {name}\n"
        f"server: {{type: {kind}, host: 127.0.0.1, port: {port}, account: {name}, password: {{file: {secret}}}"
        f"{', ' if server else ''}{server}}}\n"
        f"game: {game}\noutputs: {{dir: {folder / 'out'}}}\n{engine}{reconnect}{more}"
    )


def config_of(kind: str, port: int, folder: Path, more: str = "", **keys: str) -> BridgeConfig:
    return config_file.read(text_of(kind, port, folder, more, **keys))


# A GTP engine that answers some commands in its own way, or not at all: `NAME=ANSWER` or `NAME`.
_ENGINE = """
import subprocess, sys
own = dict(each.partition("=")[::2] for each in sys.argv[2:])
command = [sys.executable, "-m", "gtp_variants", "gtp", "--bot", "uniform"]
engine = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
for line in sys.stdin:
    open(sys.argv[1], "a").write(line)
    number, _, rest = line.strip().partition(" ") if line[:1].isdigit() else ("", "", line.strip())
    name = rest.split(" ")[0]
    if own.get(name):
        print(f"={number} {own[name]}\\n", flush=True)
        continue
    engine.stdin.write(line)
    engine.stdin.flush()
    answer = iter(engine.stdout.readline, "\\n")
    print("".join(each for each in answer if own.get(each.strip(), each)), flush=True)
"""


def engine_key(folder: Path, *own: str) -> str:
    """Return the key `engine` for such an engine; `gtp.txt` has the commands that it got."""
    (folder / "engine.py").write_text(_ENGINE)
    command = [sys.executable, folder / "engine.py", folder / "gtp.txt", *own]
    return f"engine: {{command: {list(map(str, command))}, trusted: true}}\n"


class Running:
    """A session that runs."""

    def __init__(self, config: BridgeConfig) -> None:
        self.config = config
        self.log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password)
        self.session = AccountSession(config, self.log, make=connect, rng=random.Random(1))
        self.task = asyncio.create_task(self.session.run())

    async def end(self) -> int:
        """End at once; the exit status."""
        self.session.stop(at_once=True)
        status = await asyncio.wait_for(self.task, DEADLINE_S)
        self.log.close()
        return status

    async def status(self) -> int:
        """The exit status, when it ends by itself."""
        status = await asyncio.wait_for(self.task, DEADLINE_S)
        self.log.close()
        return status

    def records(self) -> list[Path]:
        return sorted((self.config.outputs.folder / "records").glob("*.sgf"))

    def written(self) -> str:
        """Everything in the log files."""
        folder = self.config.outputs.folder
        files = [folder / "bridge.log", *(folder / "logs").glob("*")]
        return "\n".join(file.read_text(errors="replace") for file in files if file.exists())


@asynccontextmanager
async def running(config: BridgeConfig) -> AsyncIterator[Running]:
    bridge = Running(config)
    try:
        yield bridge
    finally:
        if not bridge.task.done():
            await bridge.end()
        bridge.log.close()


def run(test: Awaitable[None], limit_s: float = 10 * DEADLINE_S) -> None:
    """Run a test of many sides."""

    async def whole() -> None:
        async with asyncio.timeout(limit_s):
            await test

    asyncio.run(whole())


def check_record(path: Path) -> Record:
    """A record of a refereed game: its dice are those of the commitment, and the secret is told."""
    record = load_record(path)
    verdict = verify(record)
    assert verdict.ok, verdict.lines
    assert record.secret is not None
    assert DiceStream(record.secret).commitment == record.commitment
    return record


class Listener(ABC):
    """A person at a server who waits for messages."""

    name: str
    rng: random.Random
    _read_to = 0

    @property
    @abstractmethod
    def lines(self) -> Sequence[str]:
        """Return the messages so far."""

    def heard(self, pattern: str) -> list[str]:
        """Return the messages that match."""
        return [line for line in self.lines if re.search(pattern, line)]

    async def hears(self, pattern: str, after: int = 0) -> str:
        """Wait for a line that fits, past the first `after` of them."""
        await until(lambda: len(self.heard(pattern)) > after, f"{pattern!r} for {self.name}")
        return self.heard(pattern)[after]

    def news(self) -> Sequence[str]:
        """The lines since it was last asked."""
        lines, self._read_to = self.lines[self._read_to :], len(self.lines)
        return lines

    def check_draws(self) -> None:
        """The same turn has the same dice, whenever they are said."""
        draws: dict[str, str] = {}
        for line in self.heard(r"Move \d+, .*: dice"):
            found = re.search(r"Move (\d+), .*?: dice (\S+)", line)
            assert found is not None
            assert draws.setdefault(found[1], found[2]) == found[2]

    def check_secret(self, told: str) -> str:
        """The secret that was told at the end, which is what was committed to at the beginning."""
        committed, secret = re.search(r"sha256 ([0-9a-f]{64})", " ".join(self.lines)), re.search(r"[0-9a-f]{64}", told)
        assert committed is not None
        assert secret is not None
        assert DiceStream(bytes.fromhex(secret[0])).commitment == committed[1]
        return secret[0]

    async def play_wrong(self, play: Callable[[str], Awaitable[object]]) -> None:
        """Play the first stone on a line that the draw does not open."""
        drawn = await self.hears(r"Move 1, you: dice \d -> ")
        await play("A1" if "dice 1" not in drawn else "C3")

    def choose(self, game: Game, opened: str, tried: set[str], passes: float) -> str:
        """A vertex that was said to be open and was not tried yet, else `pass` or `resign`."""
        if "no point is open" in opened or self.rng.random() < passes:
            return "pass"
        board, stones = game.rules.board, game.position.stones
        points = re.findall(r"\b[A-T]\d+\b", opened)
        if not points:
            lines = {int(word) for word in re.findall(r"\d+", opened)} or set(range(1, board.width))
            points = [board.vertex(point) for point, line in enumerate(rings(board.width)) if line in lines]
        free = [point for point in points if not stones[board.point(point)] and point not in tried]
        if not free:
            return "resign"
        choice = str(self.rng.choice(free))
        tried.add(choice)
        return choice


class Person(Listener):
    """A person at NNGS who types; `play_on` plays Aléago as the bot says."""

    def __init__(self, server: NngsServer, name: str, seed: int = 1) -> None:
        self.server, self.name = server, name
        self._lines: list[str] = []
        self.rng = random.Random(seed)
        self.typed: list[str] = []
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def lines(self) -> Sequence[str]:
        return self._lines

    async def come(self) -> "Person":
        stream, self._writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        self._task = asyncio.create_task(self._listen(stream))
        self.type(self.name)
        if self.name in self.server.passwords:
            self.type(self.server.passwords[self.name])
        self.type("toggle client on")
        await until(lambda: self.name in self.server.online, f"{self.name}'s login")
        return self

    async def go(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._task is not None:
            self._task.cancel()

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            self._lines.append(line.decode("utf-8", "replace").strip())

    def type(self, text: str) -> None:
        assert self._writer is not None
        self.typed.append(text)
        self._writer.write((text + "\n").encode())

    async def play_on(self, moves: int, passes: float = 0.0) -> None:
        """Play Aléago for so many moves of one's own, or until the bot agrees to its end, as the bot says."""
        played = 0
        tried: set[str] = set()
        opened = ""
        while played < moves:
            match = self.server.match
            if (match is None and self.server.finished) or (match is not None and match.done):
                return
            for line in self.news():
                if re.search(r"\{Game \d+: .*(resigns|time)", line):
                    return
                drawn = re.search(r"Move \d+, you: dice \S+ -> (.*)\.$", line)
                if drawn is not None:
                    opened, tried = drawn[1], set()
                    played += 1
                if match is not None and (drawn is not None or "Illegal Move" in line):
                    self.type(self.choose(match.game, opened, tried, passes).lower())
            await asyncio.sleep(0.002)

    async def begin(self, colour: str = "b") -> NngsMatch:
        """Challenge the bot, and wait for the match."""
        await until(lambda: self.server.is_ready("botty"), "the bot")
        self.type(f"match botty {colour} 5 10 0")
        await until(lambda: self.server.match is not None, "the match")
        assert self.server.match is not None
        return self.server.match

    async def play(self, vertex: str) -> None:
        self.type(vertex.lower())

    async def play_first(self, match: NngsMatch, is_stone: bool) -> None:
        """Play on the first legal point, or pass, and wait until that is seen."""
        seen, game = len(match.moves), match.game
        legal = [point for point in game.rules.legal(game.position) if point >= 0]
        self.type(game.rules.board.vertex(legal[0]).lower() if legal and is_stone else "pass")
        await until(lambda: len(match.moves) > seen)


@asynccontextmanager
async def at_match(
    folder: Path,
    more: str = "",
    *,
    game: str = ALEAGO,
    seed: int = 1,
    server: NngsServer | None = None,
    kind: str = "nngs",
    toggles: Sequence[str] = (),
) -> AsyncIterator[tuple[NngsServer, Running, Person, NngsMatch]]:
    """The bot at a match, of which it knows, with a person who has Black; nothing was unexpected when they leave."""
    async with server or NngsServer(ACCOUNTS) as there:
        async with running(config_of(kind, there.port, folder, more, game=game)) as bridge:
            person = await Person(there, "alpha", seed).come()
            for name in toggles:
                person.type(f"toggle {name} on")
            match = await person.begin()
            await until(lambda: bool(bridge.session.games), "the game")
            yield there, bridge, person, match
            await person.go()
        assert "unexpected" not in bridge.written()
        assert PASSWORD not in bridge.written()


def environment() -> dict[str, str]:
    """Return the environment of a bridge process."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE)}
