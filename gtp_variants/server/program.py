"""The command `gtp-variants server`: bots play our games over the network."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.gtp.host_key import state_folder
from gtp_variants.server.hall import Hall, Settings
from gtp_variants.server.listener import Listener
from gtp_variants.server.store import Store
from gtp_variants.settings.times import duration

T = TypeVar("T")

_PORT = 6867
_USUAL = ("go:size=9", "aleago:size=9", "phantom:size=9", "alter-igo", "pentalath", "rosette:n=4")
_EPILOG = """\
Clients of CGOS play ordinary Go here; those that know a few words more (`gtp-variants bridge` is one) play every game.
The words are in the documentation. Ctrl-C ends the server; its games go on when it is started again.
"""


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted; the exit status: 0, or 2 for what cannot be served."""
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_serve(options))
    except (OSError, VariantsError) as error:
        sys.stderr.write(f"gtp-variants server: {error}\n")
        return 2
    except KeyboardInterrupt:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gtp-variants server",
        description="A server where bots play our games against each other over the network, refereed by our rules.",
        epilog=_EPILOG,
    )
    parser.add_argument("spec", metavar="SPEC", nargs="*", default=[], help=f"what is played (default: {_shown()})")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other computers in (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=_port, default=_PORT, help=f"the port (default: {_PORT}); 0 for any that is free"
    )
    parser.add_argument("--time", type=_duration, default=300.0, help="a side for the whole game (default: 5m)")
    parser.add_argument("--gift", type=_duration, default=0.25, help="of each move that costs nothing (default: 250ms)")
    parser.add_argument("--pause", type=_duration, default=3.0, help="before the first move of a game (default: 3s)")
    parser.add_argument("--pair", type=_duration, default=5.0, help="how often those who wait are paired (default: 5s)")
    parser.add_argument("--dir", type=Path, help="where accounts, games and records are kept")
    return parser


def _shown() -> str:
    return " ".join(_USUAL)


def _checked(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def _duration(text: str) -> float:
    return _checked(duration, text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65_536):
        raise argparse.ArgumentTypeError(f"{text!r}: expected 0 to 65535")
    return int(text)


async def _serve(options: argparse.Namespace) -> int:
    if options.time <= 0 or options.pair <= 0:
        raise ConfigError(["--time and --pair: expected more than 0"])
    folder: Path = options.dir or state_folder() / "server"
    settings = Settings(tuple(options.spec or _USUAL), options.time, options.gift, options.pause)
    store = Store(folder / "server.sqlite3")
    try:
        hall = Hall(settings, store, folder, _log)
        listener = Listener(hall, _log, pair_s=options.pair)
        try:
            await listener.open(options.host, options.port)
            sys.stdout.write(f"listening on {options.host}:{listener.port}\n")
            sys.stdout.write("".join(f"  {spec}\n" for spec in hall.specs))
            sys.stdout.write(f"accounts, games and records are in {folder}; Ctrl-C ends the server, games are kept\n")
            sys.stdout.flush()
            await _until_told(listener)
        finally:
            await listener.close()
    finally:
        store.close()
    return 0


async def _until_told(listener: Listener) -> None:
    """Until a signal, or until something fails that must not."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Windows knows no handlers of signals; there Ctrl-C interrupts.
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, told.set)
    waiting = [asyncio.create_task(told.wait()), asyncio.create_task(listener.wait())]
    done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    for task in done:
        task.result()


def _log(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
