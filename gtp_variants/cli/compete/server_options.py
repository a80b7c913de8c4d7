"""The options of `gtp-variants server`."""

import argparse
from collections.abc import Callable
from ipaddress import ip_address
from math import inf, isfinite
from pathlib import Path
from typing import TypeVar

from gtp_variants.broadcast.address import add_watch_option
from gtp_variants.cli.parser import CommandParser
from gtp_variants.config.times import duration
from gtp_variants.connections.gate import ConnectionLimits, plain_address
from gtp_variants.errors import ConfigError
from gtp_variants.folders import state_folder
from gtp_variants.rules import GAMES, game_class
from gtp_variants.server.access.accounts import is_name
from gtp_variants.server.lobby import LobbySettings

T = TypeVar("T")

_PORT = 6867


def parser() -> CommandParser:
    """The command's options, but for those of `account`."""
    made = CommandParser("server")
    made.parts["usual"] = " ".join(_usual_specs())
    made.add_argument("spec", metavar="SPEC", nargs="*", default=[])
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=_port, default=_PORT)
    made.add_argument("--time", type=_duration, default=300.0)
    made.add_argument("--gift", type=_duration, default=0.25)
    made.add_argument("--pause", type=_duration, default=3.0)
    made.add_argument("--pair", type=_duration, default=5.0)
    made.add_argument("--accounts", choices=("open", "closed"), default="open")
    made.add_argument("--new-accounts", type=_count, default=20, metavar="N")
    made.add_argument("--anchor", type=_anchor, action="append", default=[], metavar="NAME=RATING")
    made.add_argument("--http", type=_port, metavar="PORT")
    made.add_argument("--proxy", type=_address, action="append", default=[], metavar="ADDRESS")
    made.add_argument("--tournament", type=Path, action="append", default=[], metavar="FILE")
    add_watch_option(made)
    add_folder(made)
    _add_tls(made)
    _add_limits(made)
    return made


def _add_tls(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("group_encrypted")
    group.add_argument("--cert", type=Path, metavar="FILE")
    group.add_argument("--key", type=Path, metavar="FILE")
    group.add_argument("--tls-port", type=_port, metavar="PORT")
    group.add_argument("--tls-only", action="store_true")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits, room = ConnectionLimits(), LobbySettings(())
    group = parser.add_argument_group("group_limits")

    def add(name: str, default: float, read: Callable[[str], float] = _count) -> None:
        group.add_argument(name, type=read, default=default, metavar="N")

    add("--players", room.players)
    add("--reserved", room.reserved, _whole)
    add("--from-one-address", room.from_one_address)
    add("--viewers", room.viewers, _whole)
    add("--viewers-from-one-address", room.viewers_from_one_address)
    add("--half-open", limits.half_open)
    add("--login-time", limits.login_s, _duration)
    add("--arrivals", limits.arrivals_a_second)
    add("--line-bytes", limits.line)
    add("--lines", limits.lines_a_second)
    add("--lines-at-once", limits.lines_at_once)
    add("--faults", limits.faults_at_once)
    add("--unheard", limits.unheard, _whole)


def add_folder(parser: argparse.ArgumentParser) -> None:
    """The option that says where the server keeps what it keeps."""
    parser.add_argument("--dir", type=Path)


def find_folder(options: argparse.Namespace) -> Path:
    """The folder of the server."""
    return options.dir or state_folder() / "server"


def _usual_specs() -> list[str]:
    """A short game of each kind."""
    return [game_class(name).profile.small_spec for name in GAMES]


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


def _address(text: str) -> str:
    try:
        return plain_address(str(ip_address(text)))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an address such as 127.0.0.1 or ::1") from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) < 10**6):
        raise argparse.ArgumentTypeError(f"{text!r}: expected 1 or more")
    return int(text)


def _whole(text: str) -> int:
    return 0 if text == "0" else _count(text)


def _anchor(text: str) -> tuple[str, float]:
    name, _, rating = text.partition("=")
    try:
        found = float(rating)
    except ValueError:
        found = inf
    if not is_name(name) or not isfinite(found):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=RATING, such as greedy=1200")
    return name, found


def check(options: argparse.Namespace) -> None:
    """Check that the options go together. Raises ConfigError."""
    faults = []
    if options.time <= 0 or options.pair <= 0:
        faults.append("--time and --pair: expected more than 0")
    if options.cert is None and (options.key or options.tls_port is not None or options.tls_only):
        faults.append("--key, --tls-port and --tls-only: expected --cert with them")
    if options.proxy and options.http is None:
        faults.append("--proxy: expected --http with it")
    if options.reserved >= options.players:
        faults.append(f"--reserved {options.reserved}: expected fewer than --players, {options.players}")
    if faults:
        raise ConfigError(faults)


def read_settings(options: argparse.Namespace) -> LobbySettings:
    """What is played, and who may come."""
    return LobbySettings(
        tuple(options.spec or _usual_specs()),
        options.time,
        options.gift,
        options.pause,
        options.accounts == "open",
        options.new_accounts,
        options.players,
        options.reserved,
        options.from_one_address,
        options.viewers,
        options.viewers_from_one_address,
        dict(options.anchor),
    )


def read_limits(options: argparse.Namespace) -> ConnectionLimits:
    """What a connection may do."""
    return ConnectionLimits(
        line=options.line_bytes,
        lines_a_second=options.lines,
        lines_at_once=options.lines_at_once,
        half_open=options.half_open,
        arrivals_a_second=options.arrivals,
        login_s=options.login_time,
        faults_at_once=options.faults,
        unheard=int(options.unheard),
    )
