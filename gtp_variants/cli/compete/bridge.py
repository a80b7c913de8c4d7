"""The command `gtp-variants bridge`: a bot at work on a Go server."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from gtp_variants import configs
from gtp_variants.bridge import adapters
from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.account.folder_lock import is_locked, lock_folder
from gtp_variants.bridge.core.account.health_endpoint import HealthPage
from gtp_variants.bridge.core.account.session import FAILED, REFUSED, AccountSession
from gtp_variants.bridge.core.config import RESIGN, BridgeConfig
from gtp_variants.bridge.core.engine.supervised_player import Faults, SupervisedPlayer
from gtp_variants.bridge.core.game.game_sync import ReplayedGame
from gtp_variants.bridge.core.logs import Log
from gtp_variants.bridge.rehearsal.rehearsal import Rehearsal
from gtp_variants.broadcast.address import Place, add_watch_option
from gtp_variants.broadcast.publisher import Publisher
from gtp_variants.cli.exit_status import WRONG
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.config.fields import list_faults
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.folders import user_path
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.records.files import complain
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.rules import Rules

_TRIAL_S = 5.0
_HEALTH_S = 5.0
# What another start would not mend.
_FINAL = (WRONG, REFUSED, FAILED)


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status."""
    options = parser().parse_args(arguments)
    status = _main(options)
    return status if options.final_status is None or status not in _FINAL else int(options.final_status)


def _main(options: argparse.Namespace) -> int:
    try:
        path = _find(options.file)
        config = config_file.load(path)
        adapters.require(config)
        place = None if options.watch is None else Place(options.watch)
        if options.action == "check":
            return asyncio.run(_check(config))
        if options.action == "health":
            return _tell_health(config)
        if options.action == "rehearse":
            return asyncio.run(_rehearse(config, options.friend))
        with lock_folder(config.outputs.folder):
            return asyncio.run(_run(config, path, place))
    except ConfigError as error:
        sys.stderr.write(list_faults(options.file, error))
    except (OSError, VariantsError) as error:
        return complain("bridge", error, language_of(options))
    except KeyboardInterrupt:
        return 0
    return WRONG


def parser() -> CommandParser:
    """The command's options."""
    made = CommandParser("bridge")
    made.parts["ours"] = ", ".join(configs.bridges())
    made.add_argument("file", metavar="FILE")
    made.add_argument(
        "action", nargs="?", default="run", choices=("run", "check", "rehearse", "health"), metavar="ACTION"
    )
    made.add_argument("--friend", default="", metavar="NAME")
    made.add_argument("--final-status", type=int, metavar="N")
    add_watch_option(made)
    made.suggested["file"] = configs.bridges()
    return made


def _find(name: str) -> Path:
    path = user_path(name)
    return path if path.is_file() else configs.bridge(name)


async def _run(config: BridgeConfig, path: Path, place: Place | None) -> int:
    log = Log(config.outputs.folder / "bridge.log", config.outputs, config.server.password, is_shown=True)
    # What its thread has to say is written down by the one that the session runs in.
    loop = asyncio.get_running_loop()
    publisher = None if place is None else Publisher(place.find, lambda text: _later(loop, log, text))
    session = AccountSession(config, log, make=adapters.connect, publisher=publisher)
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


def _later(loop: asyncio.AbstractEventLoop, say: Callable[[str], None], text: str) -> None:
    with contextlib.suppress(RuntimeError):  # the loop ends
        loop.call_soon_threadsafe(say, text)


def _watch_signals(session: AccountSession, path: Path, log: Log) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        session.stop(at_once=session.is_stopping)

    def reload() -> None:
        try:
            session.reload(config_file.load(path))
        except (ConfigError, OSError) as error:
            log(f"the configuration stays as it was: {error}")

    # Windows knows none of these; there Ctrl-C ends at once.
    with contextlib.suppress(NotImplementedError, AttributeError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        loop.add_signal_handler(signal.SIGHUP, reload)


async def _rehearse(config: BridgeConfig, friend: str) -> int:
    with lock_folder(config.outputs.folder):
        rehearsal = Rehearsal(config, friend, adapters.connect)
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(rehearsal.run())
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGTERM, task.cancel)
        report = await task
    sys.stdout.write("\n".join(report.lines()) + "\n")
    return report.status or int(not report.went_well)


def _tell_health(config: BridgeConfig) -> int:
    """Whether a bridge is at work with this file; 0 or 1."""
    if config.health is None:
        is_well = is_locked(config.outputs.folder)
        sys.stdout.write(f"{config.name}: {'at work' if is_well else 'nobody is at work'}\n")
        return int(not is_well)
    try:
        with urlopen(f"http://127.0.0.1:{config.health}/health", timeout=_HEALTH_S) as answer:
            sys.stdout.write(answer.read().decode("utf-8", "replace"))
            return 0
    except OSError as error:
        sys.stdout.write(f"{config.name}: {error}\n")
        return 1


async def _check(config: BridgeConfig) -> int:
    """Everything that can be tried before the first login; what is wrong raises."""
    config.outputs.folder.mkdir(parents=True, exist_ok=True)
    if not os.access(config.outputs.folder, os.W_OK):
        raise ConfigError([f"outputs.dir: {config.outputs.folder} cannot be written to"])
    rules = parse(config.spec)
    ready = await _try_engine(config, rules) if config.engine else "it referees"
    server = config.server
    sys.stdout.write(
        f"{config.name}: {server.account} on {server.type} at {server.host}:{server.port}"
        f"{', with a password' if server.password else ', without a password'}\n"
        f"  {rules.spec}\n  {ready}\n"
        f"  logs and records in {config.outputs.folder}\n"
    )
    return 0


async def _try_engine(config: BridgeConfig, rules: Rules) -> str:
    """That the engine moves, in words. Raises PeerError."""
    # Nobody else plays in its place, or what is wrong with it would not be seen.
    engine = replace(config.engine, fallback=RESIGN)
    with tempfile.TemporaryDirectory() as folder:
        notes: list[str] = []
        make = partial(ReplayedGame, rules, bytes(32), {})
        player = SupervisedPlayer(engine, make, "check", rules.colours[0], Path(folder) / "t.gtp", Faults(notes.append))
        try:
            clock = Clock(TimeControl("absolute", _TRIAL_S), _TRIAL_S)
            move = await player.choose([], clock, lambda: PASS, is_timed=False)
        finally:
            await player.close()
    played = rules.board.vertex(move.action) if move.action >= 0 else "pass or resignation"
    return f"{engine.bot or ' '.join(engine.command)} is ready, its first move: {played}"
