"""The command `gtp-variants server`: bots play our games over the network."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from getpass import getpass
from pathlib import Path
from typing import TypeVar

from gtp_variants.broadcast.address import Place, add_watch_option
from gtp_variants.broadcast.publisher import Publisher
from gtp_variants.config.times import duration
from gtp_variants.errors import ConfigError, Refused, VariantsError
from gtp_variants.folders import state_folder
from gtp_variants.rules import GAMES, game_class
from gtp_variants.server.account_game import AccountGame
from gtp_variants.server.accounts import Account, check_name, check_password, hash_password
from gtp_variants.server.game_publisher import ServerBroadcast
from gtp_variants.server.lobby import Lobby, LobbySettings
from gtp_variants.server.sockets import LineServer
from gtp_variants.server.store import ServerStore

T = TypeVar("T")

_PORT = 6867
_EPILOG = """\
Clients of CGOS play ordinary Go here; those that know a few words more (`gtp-variants bridge` is one) play every game.
The words are in the documentation. Ctrl-C ends the server; its games go on when it is started again.
`gtp-variants server account NAME` makes an account, or gives it a new password, also while the server runs.
"""
_ACCOUNT = "account"


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted, or make an account; the exit status: 0, or 2 for what cannot be done."""
    is_account = list(arguments[:1]) == [_ACCOUNT]
    options = _account_parser().parse_args(arguments[1:]) if is_account else _parser().parse_args(arguments)
    try:
        return _keep_account(options) if is_account else asyncio.run(_serve(options))
    except Refused as error:
        sys.stderr.write(f"gtp-variants server: {error.answer}\n")
        return 2
    except (OSError, VariantsError) as error:
        sys.stderr.write(f"gtp-variants server: {error}\n")
        return 2
    except (KeyboardInterrupt, EOFError):
        return 2 if is_account else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gtp-variants server",
        description="A server where bots play our games against each other over the network, refereed by our rules.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "spec", metavar="SPEC", nargs="*", default=[], help=f"what is played (default: {_list_usual_specs()})"
    )
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other computers in (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=_port, default=_PORT, help=f"the port (default: {_PORT}); 0 for any that is free"
    )
    parser.add_argument("--time", type=_duration, default=300.0, help="a side for the whole game (default: 5m)")
    parser.add_argument("--gift", type=_duration, default=0.25, help="of each move that costs nothing (default: 250ms)")
    parser.add_argument("--pause", type=_duration, default=3.0, help="before the first move of a game (default: 3s)")
    parser.add_argument("--pair", type=_duration, default=5.0, help="how often those who wait are paired (default: 5s)")
    parser.add_argument(
        "--accounts",
        choices=("open", "closed"),
        default="open",
        help="open: an unknown name gets an account when it logs in, as on CGOS; closed: `account NAME` makes them all "
        "(default: open)",
    )
    parser.add_argument(
        "--new-accounts", type=_count, default=20, metavar="N", help="of one address in an hour (default: 20)"
    )
    add_watch_option(parser)
    _add_folder(parser)
    return parser


def _account_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"gtp-variants server {_ACCOUNT}",
        description="Make an account, or give it a new password; it is asked for, or read from standard input.",
    )
    parser.add_argument("name", metavar="NAME", help="3 to 18 letters, digits and _ . -, a letter first")
    _add_folder(parser)
    return parser


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, help="where accounts, games and records are kept")


def _folder(options: argparse.Namespace) -> Path:
    return options.dir or state_folder() / "server"


def _keep_account(options: argparse.Namespace) -> int:
    """Write an account with the password that is asked for."""
    name = check_name(options.name)
    password = hash_password(check_password(name, _asked_password(name)))
    store = ServerStore(_folder(options) / "server.sqlite3")
    try:
        before = store.account(name)
        store.write_account(Account(name, password))
    finally:
        store.close()
    sys.stdout.write(f"{name}: a new account\n" if before is None else f"{before.name}: a new password\n")
    return 0


def _asked_password(name: str) -> str:
    """What is typed twice at a terminal, or the first line of what is not one. Raises Refused."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass(f"password of {name}: ")
    if getpass("once more: ") != password:
        raise Refused(_ACCOUNT, "password: it was not the same twice")
    return password


def _usual_specs() -> list[str]:
    """A short game of each kind."""
    return [game_class(name).small_spec for name in GAMES]


def _list_usual_specs() -> str:
    return " ".join(_usual_specs())


def _read_option(read: Callable[[str], T], text: str) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def _duration(text: str) -> float:
    return _read_option(duration, text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) < 65_536):
        raise argparse.ArgumentTypeError(f"{text!r}: expected 0 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**6):
        raise argparse.ArgumentTypeError(f"{text!r}: expected 1 or more")
    return int(text)


async def _serve(options: argparse.Namespace) -> int:
    if options.time <= 0 or options.pair <= 0:
        raise ConfigError(["--time and --pair: expected more than 0"])
    folder = _folder(options)
    settings = LobbySettings(
        tuple(options.spec or _usual_specs()),
        options.time,
        options.gift,
        options.pause,
        options.accounts == "open",
        options.new_accounts,
    )
    store = ServerStore(folder / "server.sqlite3")
    try:
        store.claim()
        with _open_broadcast(options) as show:
            lobby = Lobby(settings, store, folder, _log, show=show)
            await _listen(lobby, options, folder)
    finally:
        store.close()
    return 0


@contextmanager
def _open_broadcast(options: argparse.Namespace) -> Iterator[Callable[[AccountGame], None]]:
    """What is to be told of each game, so that people can watch it if they may."""
    if options.watch is None:
        yield lambda match: None
        return
    publisher = Publisher(Place(options.watch).find, _log)
    try:
        yield ServerBroadcast(publisher, f"server-{options.port}").show
    finally:
        publisher.close()


async def _listen(lobby: Lobby, options: argparse.Namespace, folder: Path) -> None:
    """Let people in until a signal comes."""
    listener = LineServer(lobby, _log, pair_s=options.pair)
    try:
        await listener.open(options.host, options.port)
        sys.stdout.write(f"listening on {options.host}:{listener.port}\n")
        sys.stdout.write("".join(f"  {spec}\n" for spec in lobby.specs))
        sys.stdout.write(f"accounts, games and records are in {folder}; Ctrl-C ends the server, games are kept\n")
        sys.stdout.flush()
        await _wait_for_signal(listener)
    finally:
        await listener.close()


async def _wait_for_signal(listener: LineServer) -> None:
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
