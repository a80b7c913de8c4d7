"""The command `gtp-variants bridge`, which runs a bot on a Go server."""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

from gtp_variants import configs
from gtp_variants._version import __version__
from gtp_variants.base.config_files import list_faults
from gtp_variants.base.folders import user_path
from gtp_variants.base.installation import install_command
from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.base.processes.file_lock import hold_file
from gtp_variants.bridge.cgos import Cgos, Variants
from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.config import BOARD, PLAYER, PRIVATE, REFEREE, RESIGN, BridgeConfig
from gtp_variants.bridge.core.engine_seat import SupervisedPlayer
from gtp_variants.bridge.core.game_sync import ReplayedGame
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.core.session import FAILED, REFUSED, AccountSession, Connect
from gtp_variants.bridge.nngs import Nngs
from gtp_variants.bridge.rehearsal import Rehearsal
from gtp_variants.cli.commands import WRONG
from gtp_variants.cli.parser import CommandParser, add_watch_option, language_of
from gtp_variants.errors import ConfigError, RecordError, VariantsError
from gtp_variants.lang import say, translate_fault
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.publisher import Place, Publisher
from gtp_variants.records.files import complain
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.rules import Rules

# Seconds on the engine's clock for its trial move.
_TRIAL_S = 5.0
# Deadlines in seconds: for an answer from another bridge's health page, and for a request to our own health page.
_HEALTH_S = _REQUEST_S = 5.0
# Maximum length of a request in bytes.
_LONGEST_REQUEST = 4096
# The lock file of a folder. `is_locked` holds the lock for a moment, so `lock_folder` waits this many seconds.
_LOCK, _PATIENCE_S = ".lock", 2.0
# Exit statuses after which it is useless to start the bridge again.
_FINAL = (WRONG, REFUSED, FAILED)
# The counters of a session that `/metrics` shows as totals.
_TOTALS = ("logins", "lost_lines", "games", "moves", "challenges_refused", "engine_failures")
# Required libraries by kind of server. The package extra that installs them is named after the server.
_LIBRARIES = {"kgs": ("httpx",), "ogs": ("httpx", "websockets")}


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    made = parser()
    options = made.parse_args(arguments)
    if options.file is None:
        made.error(f"FILE: missing; expected a YAML file, or one of ours: {made.parts['ours']}")
    status = _main(options)
    return status if options.final_status is None or status not in _FINAL else options.final_status


def _main(options: argparse.Namespace) -> int:
    try:
        path = user_path(options.file)
        path = path if path.is_file() else configs.bridge(options.file)
        config = config_file.load(path)
        require_libraries(config)
        place = None if options.watch is None else Place(options.watch)
        if options.action == "check":
            return asyncio.run(_check(config, language_of(options)))
        if options.action == "health":
            return _tell_health(config, language_of(options))
        if options.action == "rehearse":
            return asyncio.run(_rehearse(config, options.friend))
        with lock_folder(config.outputs.folder):
            return asyncio.run(_run(config, path, place))
    except ConfigError as error:
        sys.stderr.write(list_faults(options.file, error, partial(translate_fault, lang=language_of(options))))
    except (OSError, VariantsError) as error:
        return complain("bridge", error, language_of(options))
    except KeyboardInterrupt:
        return 0
    return WRONG


def parser() -> CommandParser:
    made = CommandParser("bridge")
    made.parts["ours"] = ", ".join(configs.bridges())
    made.add_argument("file", nargs="?", metavar="FILE")
    actions = ("run", "check", "rehearse", "health")
    made.add_argument("action", nargs="?", default="run", choices=actions, metavar="ACTION")
    made.add_argument("--friend", default="", metavar="NAME")
    made.add_argument("--final-status", type=NumberRange(0, 255).read_whole, metavar="N")
    add_watch_option(made)
    made.suggested["file"] = configs.bridges()
    return made


async def _run(config: BridgeConfig, path: Path, place: Place | None) -> int:
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password, is_shown=True)
    # The publisher's thread must not write to the log directly, because the log belongs to the session's thread.
    loop = asyncio.get_running_loop()
    publisher = None if place is None else Publisher(place.find, lambda text: _later(loop, log, text))
    session = AccountSession(config, log, make=connect, publisher=publisher)
    page = HealthPage(session)
    try:
        if config.health is not None:
            await page.open(config.health)
        _watch_signals(session, path, log)
        return await session.run()
    finally:
        await page.close()
        if publisher is not None:
            await asyncio.to_thread(publisher.close)
        log.close()


def _later(loop: asyncio.AbstractEventLoop, log: Callable[[str], None], text: str) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(log, text)


def _watch_signals(session: AccountSession, path: Path, log: Log) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        session.stop(at_once=session.is_stopping)

    def reload() -> None:
        try:
            session.reload(config_file.load(path))
        except (ConfigError, OSError) as error:
            log(f"cannot reload the configuration, so the old configuration stays: {error}")

    # Windows has no such handlers, so on Windows Ctrl-C ends the program at once.
    with contextlib.suppress(NotImplementedError, AttributeError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        loop.add_signal_handler(signal.SIGHUP, reload)


async def _rehearse(config: BridgeConfig, friend: str) -> int:
    with lock_folder(config.outputs.folder):
        rehearsal = Rehearsal(config, friend, connect)
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(rehearsal.run())
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGTERM, task.cancel)
        report = await task
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return report.status or int(not report.went_well)


def _tell_health(config: BridgeConfig, lang: str) -> int:
    """Print the health page or, if there is none, whether a bridge is running. Return 0 if all is well, else 1."""
    if config.health is None:
        is_well = is_locked(config.outputs.folder)
        sys.stdout.write(say(f"cli.bridge_{'at_work' if is_well else 'idle'}", lang, name=config.name) + "\n")
        return int(not is_well)
    try:
        with urlopen(f"http://127.0.0.1:{config.health}/health", timeout=_HEALTH_S) as answer:
            sys.stdout.write(answer.read().decode("utf-8", "replace"))
            return 0
    except OSError as error:
        sys.stdout.write(f"{config.name}: {error}\n")
        return 1


async def _check(config: BridgeConfig, lang: str) -> int:
    """Check everything that can be checked before the first login. Raises VariantsError or OSError for a fault."""
    config.outputs.folder.mkdir(parents=True, exist_ok=True)
    if not os.access(config.outputs.folder, os.W_OK):
        raise ConfigError([f"outputs.dir: {config.outputs.folder} cannot be written to"])
    rules = parse(config.spec)
    ready = await _try_engine(config, rules, lang) if config.engine else say("cli.bridge_referees", lang)
    server, folder = config.server, say("cli.bridge_folder", lang, folder=config.outputs.folder)
    login = {"account": server.account, "server": server.type, "address": f"{server.host}:{server.port}"}
    about = say(f"cli.bridge_{'password' if server.password else 'no_password'}", lang, name=config.name, **login)
    sys.stdout.write(f"{about}\n  {rules.spec}\n  {ready}\n  {folder}\n")
    return 0


async def _try_engine(config: BridgeConfig, rules: Rules, lang: str) -> str:
    """Ask the engine for a move, and return a sentence about the move. Raises PeerError if the engine fails."""
    # Disable the fallback bot, with which a broken engine would go unnoticed.
    engine = replace(config.engine, fallback=RESIGN)
    with tempfile.TemporaryDirectory() as folder:
        notes: list[str] = []
        make = partial(ReplayedGame, rules, bytes(32), {})
        player = SupervisedPlayer(engine, make, "check", rules.colours[0], Path(folder) / "t.gtp", notes.append)
        try:
            clock = Clock(TimeControl("absolute", _TRIAL_S), _TRIAL_S)
            move = await player.choose([], clock, lambda: PASS, is_timed=False)
        finally:
            await player.close()
    played = rules.board.vertex(move.action) if move.action >= 0 else say("cli.bridge_no_stone", lang)
    return say("cli.bridge_ready", lang, engine=engine.bot or " ".join(engine.command), move=played)


# -- the adapter for each kind of server -------------------------------------------------------------------------------


def _kgs(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    # Imported here because other servers need no HTTP library.
    from gtp_variants.bridge.kgs.adapter import Kgs
    from gtp_variants.bridge.kgs.roles import KgsBoard, KgsPrivate, KgsReferee

    return {PLAYER: Kgs, REFEREE: KgsReferee, BOARD: KgsBoard, PRIVATE: KgsPrivate}[config.role](config, log)


def _ogs(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    from gtp_variants.bridge.ogs.adapter import Ogs
    from gtp_variants.bridge.ogs.roles import OgsBoard, OgsPrivate

    return {PLAYER: Ogs, BOARD: OgsBoard, PRIVATE: OgsPrivate}[config.role](config, log)


_ADAPTERS: dict[str, Connect] = {
    "cgos": Cgos,
    "variants": Variants,
    "nngs": partial(Nngs, is_igs=False),
    "igs": partial(Nngs, is_igs=True),
    "kgs": _kgs,
    "ogs": _ogs,
}


def require_libraries(config: BridgeConfig) -> None:
    """Raise ConfigError if a library that the server's adapter needs is not installed."""
    kind = config.server.type
    missing = [name for name in _LIBRARIES.get(kind, ()) if find_spec(name) is None]
    if missing:
        raise ConfigError([f"server.type: {kind} needs {' and '.join(missing)}; {install_command(kind)}"])


def connect(config: BridgeConfig, log: Callable[[str], None]) -> Server:
    """Return a new, unopened connection to the configured server. `log` receives every line for the log."""
    return _ADAPTERS[config.server.type](config, log)


# -- showing others that a bridge is running ---------------------------------------------------------------------------


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder inside the context, so that two bridges cannot overwrite each other's files.

    The folder is made if it does not exist. The system releases the lock when the process ends. Raises ConfigError if
    another bridge holds the lock, or if the folder cannot be written to.
    """
    with contextlib.ExitStack() as opened:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_ours = opened.enter_context(hold_file(folder / _LOCK, _PATIENCE_S))
        except (OSError, RecordError) as error:
            raise ConfigError([f"outputs.dir: {folder}: cannot be written to: {error}"]) from None
        if not is_ours:
            raise ConfigError([f"outputs.dir: {folder}: another bridge is at work in it"])
        yield


def is_locked(folder: Path) -> bool:
    """Return True if a bridge is known to run in a folder; on a system without file locks, always False."""
    if not (folder / _LOCK).exists():
        return False
    try:
        with hold_file(folder / _LOCK) as is_ours:
            return not is_ours
    except RecordError:
        return False


class HealthPage:
    """The monitoring pages, on 127.0.0.1 only: `/health` as JSON, and `/metrics` for Prometheus."""

    def __init__(self, session: AccountSession) -> None:
        self._session = session
        self._began = time.monotonic()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self, port: int) -> None:
        """Listen on `port`, or on any free port if `port` is 0. Raises OSError if that is impossible."""
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", port, limit=_LONGEST_REQUEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_S):
                words = (await reader.readline()).decode("ascii", "replace").split()
                path = words[1].partition("?")[0] if len(words) > 1 and words[0] == "GET" else ""
                while (await reader.readline()).strip():
                    pass
                status, kind, text = self._page(path)
                head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(text.encode())}\r\n"
                writer.write(f"{head}Connection: close\r\n\r\n{text}".encode())
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            pass
        finally:
            writer.close()

    def _page(self, path: str) -> tuple[str, str, str]:
        if path == "/health":
            state = self._session.counters.state
            status = "200 OK" if state in ("online", "stopping") else "503 Service Unavailable"
            return status, "application/json", self._health()
        if path == "/metrics":
            return "200 OK", "text/plain; version=0.0.4", self._metrics()
        return "404 Not Found", "text/plain", "/health and /metrics are here\n"

    def _health(self) -> str:
        counters, states = self._session.counters, [game.state for game in self._session.games.values()]
        playing = [{"opponent": state.opponent, "moves": len(state.moves)} for state in states]
        facts = {"state": counters.state, "version": __version__, "up_s": round(time.monotonic() - self._began)}
        return json.dumps({**facts, "playing": playing, "games": counters.games}) + "\n"

    def _metrics(self) -> str:
        counters = self._session.counters
        numbers = {
            "online": int(counters.state in ("online", "stopping")),
            "playing": len(self._session.games),
            **{f"{name}_total": getattr(counters, name) for name in _TOTALS},
            **{f'results_total{{result="{kind}"}}': count for kind, count in sorted(counters.results.items())},
        }
        return "".join(f"gtp_variants_bridge_{name} {number}\n" for name, number in numbers.items())
