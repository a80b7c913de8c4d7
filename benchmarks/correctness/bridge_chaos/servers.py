"""The test servers, and their records of the games played on them."""

import argparse
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from benchmarks.correctness.bridge_chaos.bots import Bot, BotReport
from benchmarks.correctness.bridge_chaos.people import KgsPlayer, NngsPlayer, OgsPlayer
from gtp_variants.bridge.kgs import values as kgs_values
from gtp_variants.records.sgf import ogs_games
from gtp_variants.rules.actions import BLACK, WHITE
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.kgs_http import ROOMS
from tests.bridge.fakes.kgs_server import KgsServer
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.ogs_server import OgsServer

PASSWORD = "chaos-4711"
# A server's words for a loss by other means than play.
_NOT_BY_PLAY = re.compile("Time|Illegal|Resign|resigns\\.$|time")

Work = Callable[[Callable[[], bool], Callable[[], bool]], Awaitable[None]]


class Listening(Protocol):
    """A server that runs while it is in use."""

    port: int

    async def open(self) -> None: ...

    async def close(self) -> None: ...


class Place(ABC):
    """A server for the bots: their number, opponents, boards and configuration keys."""

    # True if bots are paired with bots.
    pairs_bots = False

    def __init__(self, server: Listening | None, port: int, game: str) -> None:
        """`server` is None if one is already running at `port`."""
        self.server, self._port, self.game = server, port, game

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return self.server.port if self.server is not None else self._port

    def password(self, name: str) -> str:
        """The password of an account."""
        return PASSWORD

    @abstractmethod
    def keys(self, port: int) -> str:
        """Return the bridge's configuration keys for this server, reached through a port."""

    def person(self, number: int, folder: Path, rng: random.Random) -> Work | None:
        """Return the person who plays a bot, or None if bots play bots."""
        return None

    def faults(self, bots: list[Bot], reports: list[BotReport]) -> list[str]:
        """Return the server's own complaints about the bots."""
        return []


class Cgos(Place):
    """Bots are paired by the server."""

    pairs_bots = True

    def __init__(self, options: argparse.Namespace) -> None:
        server = None if options.port else CgosServer(size=9, level_ms=1000 * options.clock)
        super().__init__(server, options.port, "go:size=9")

    def keys(self, port: int) -> str:
        return f"type: cgos, port: {port}"

    def faults(self, bots: list[Bot], reports: list[BotReport]) -> list[str]:
        results = [match.result for match in self.server.finished] if isinstance(self.server, CgosServer) else []
        return [f"the server says {result}" for result in results if _NOT_BY_PLAY.search(result)]


class NngsPlace(Place):
    """Each bot has a person, and the local server one match."""

    def __init__(self, options: argparse.Namespace) -> None:
        server = None if options.port else NngsServer({"bot0": PASSWORD, "human0": PASSWORD})
        super().__init__(server, options.port, "go:size=9")

    def keys(self, port: int) -> str:
        return f"type: nngs, port: {port}"

    def person(self, number: int, folder: Path, rng: random.Random) -> Work | None:
        return NngsPlayer(f"human{number}", f"bot{number}", self.port, folder, rng).live

    def faults(self, bots: list[Bot], reports: list[BotReport]) -> list[str]:
        results = [match.result for match in self.server.finished] if isinstance(self.server, NngsServer) else []
        return [f"the server says {result}" for result in results if _NOT_BY_PLAY.search(result)]


class WebPlace(Place):
    """A server of the tests that bots reach over HTTP; each bot has a person there."""

    def password(self, name: str) -> str:
        # A key of the local OGS is one account's.
        return f"{PASSWORD}-{name}"

    @staticmethod
    def accounts(options: argparse.Namespace) -> dict[str, str]:
        """Return accounts for the bots and for the people."""
        names = [f"{who}{number}" for number in range(options.bots) for who in ("bot", "human")]
        return {name: f"{PASSWORD}-{name}" for name in names}

    @abstractmethod
    def games(self) -> dict[str, tuple[set[str], tuple[str, ...], str]]:
        """Return finished games by the end of their key: players, moves and result."""

    def faults(self, bots: list[Bot], reports: list[BotReport]) -> list[str]:
        """Return the games whose end differs between bot and server."""
        found: list[str] = []
        assert isinstance(self.server, KgsServer | OgsServer)
        # People use raw clients and may be a moment late.
        found += [fault for fault in self.server.faults if not fault.startswith("human")]
        for number, (names, moves, result) in self.games().items():
            for bot, report in zip(bots, reports, strict=True):
                if bot.name not in names:
                    continue
                told = report.ends.get(f"{bot.name}-{number}")
                if told != result:
                    found.append(f"{bot.name}: game {number} ended with {result}, and the log says {told}")
                if not any(game.moves == moves for game in report.games):
                    found.append(f"{bot.name}: game {number}, {result}: no record has its {len(moves)} moves")
        return found


class KgsPlace(WebPlace):
    """The local KGS."""

    def __init__(self, options: argparse.Namespace, first: int) -> None:
        self._kgs = KgsServer(self.accounts(options), first=first)
        super().__init__(self._kgs, 0, f"go:size={options.size}")

    def keys(self, port: int) -> str:
        return f"type: kgs, port: {port}, room: {ROOMS[2]}, tls: false"

    def person(self, number: int, folder: Path, rng: random.Random) -> Work | None:
        return KgsPlayer(f"human{number}", f"bot{number}", self._kgs, rng).live

    def games(self) -> dict[str, tuple[set[str], tuple[str, ...], str]]:
        return {
            table.timestamp: (
                set(table.players.values()),
                tuple(map(str.lower, table.moves)),
                kgs_values.result_of(table.score),
            )
            for table in self._kgs.finished
        }


class OgsPlace(WebPlace):
    """The local OGS."""

    def __init__(self, options: argparse.Namespace, first: int) -> None:
        self._ogs = OgsServer(self.accounts(options), first=1000 + 2 * first)
        super().__init__(self._ogs, 0, f"go:size={options.size}")
        self._size: int = options.size

    def keys(self, port: int) -> str:
        return f"type: ogs, port: {port}, tls: false"

    def person(self, number: int, folder: Path, rng: random.Random) -> Work | None:
        return OgsPlayer(f"human{number}", f"bot{number}", self._ogs, self._size, rng).live

    def games(self) -> dict[str, tuple[set[str], tuple[str, ...], str]]:
        return {
            str(game.id): (
                {player["username"] for player in game.players.values()},
                tuple(map(str.lower, game.vertices)),
                ogs_games.result_of(
                    game.data(), {BLACK: game.players["black"]["id"], WHITE: game.players["white"]["id"]}
                ),
            )
            for game in self._ogs.games.values()
            if game.phase == "finished"
        }


def open_place(kind: str, options: argparse.Namespace, first: int) -> Place:
    """Return the server of a kind; a test server numbers its games from `first`."""
    match kind:
        case "cgos":
            return Cgos(options)
        case "nngs":
            return NngsPlace(options)
        case "kgs":
            return KgsPlace(options, first)
    return OgsPlace(options, first)
