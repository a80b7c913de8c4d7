"""The command `gtp-variants bridge`: a bot at work on a Go server."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from gtp_variants import configs
from gtp_variants.bridge import adapters
from gtp_variants.bridge.core import config_file
from gtp_variants.bridge.core.account.health_endpoint import HealthPage
from gtp_variants.bridge.core.account.session import AccountSession
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.bridge.core.engine import SupervisedPlayer
from gtp_variants.bridge.core.game.game_sync import ReplayedGame
from gtp_variants.bridge.core.logs import Log
from gtp_variants.broadcast.address import Place, add_watch_option
from gtp_variants.broadcast.publisher import Publisher
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.rules import parse
from gtp_variants.rules.rules import Rules

WRONG = 2
_TRIAL_S = 5.0

_EPILOG = """\
actions:
  run      log in and play (default)
  check    read the file, try the password's place and the engine, log in nowhere

signals: the first Ctrl-C (or TERM) ends after the games that are on, the second at once; HUP reads the file again

exit status: 0 told to end, 2 wrong usage or file, 3 refused or replaced by another login, 4 the engine kept failing
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(
        prog="gtp-variants bridge",
        description="Log a bot in on a Go server and keep it playing.",
        epilog=f"files of ours: {', '.join(configs.bridges())}\n\n{_EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a YAML file, or one of ours by its name")
    parser.add_argument("action", nargs="?", default="run", choices=("run", "check"), metavar="ACTION")
    add_watch_option(parser)
    options = parser.parse_args(arguments)
    try:
        path = _find(options.file)
        config = config_file.load(path)
        adapters.require(config)
        place = None if options.watch is None else Place(options.watch)
        if options.action == "check":
            return asyncio.run(_check(config))
        return asyncio.run(_run(config, path, place))
    except ConfigError as error:
        sys.stderr.write(_faults(options.file, error))
    except (OSError, VariantsError) as error:
        sys.stderr.write(f"gtp-variants bridge: {error}\n")
    except KeyboardInterrupt:
        return 0
    return WRONG


def _find(name: str) -> Path:
    path = Path(name).expanduser()
    return path if path.is_file() else configs.bridge(name)


def _faults(name: str, error: ConfigError) -> str:
    if len(error.faults) == 1:
        return f"{name}: {error.faults[0]}\n"
    return f"{name}: {len(error.faults)} faults:\n" + "".join(f"  {fault}\n" for fault in error.faults)


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
    engine = config.engine
    with tempfile.TemporaryDirectory() as folder:
        notes: list[str] = []
        make = partial(ReplayedGame, rules, bytes(32), {})
        player = SupervisedPlayer(engine, make, "check", rules.colours[0], Path(folder) / "t.gtp", notes.append)
        try:
            move = await player.choose([], Clock(TimeControl("absolute", _TRIAL_S), _TRIAL_S))
        finally:
            await player.close()
    played = rules.board.vertex(move.action) if move.action >= 0 else "pass or resignation"
    return f"{engine.bot or ' '.join(engine.command)} is ready, its first move: {played}"
