"""The options of `gtp-variants server`."""

import argparse
from collections.abc import Callable
from math import inf, isfinite
from pathlib import Path
from typing import TypeVar

from gtp_variants.broadcast.address import add_watch_option
from gtp_variants.cli.parser import CommandParser
from gtp_variants.config.times import duration
from gtp_variants.errors import ConfigError
from gtp_variants.folders import state_folder
from gtp_variants.rules import GAMES, game_class
from gtp_variants.server.access.accounts import is_name
from gtp_variants.server.access.gate import ConnectionLimits
from gtp_variants.server.lobby import LobbySettings

T = TypeVar("T")

_PORT = 6867
_EPILOG = """\
Clients of CGOS play ordinary Go here; those that know a few words more (`gtp-variants bridge` is one) play every game.
The words are in the documentation. Ctrl-C ends the server; its games go on when it is started again.
`gtp-variants server account NAME` makes an account, or gives it a new password, also while it runs. To a running
server one says `gtp-variants server who`, `games`, `kick NAME`, `ban NAME|ADDRESS`, `unban`, `bans`, `abort GAME`,
`message NAME|all TEXT` and `drain`, which ends it after the games that are on.
"""


def parser() -> CommandParser:
    """The command's options, but for those of `account`."""
    made = CommandParser(
        "server",
        "A server where bots play our games against each other over the network, refereed by our rules.",
        epilog=_EPILOG,
    )
    made.add_argument(
        "spec", metavar="SPEC", nargs="*", default=[], help=f"what is played (default: {_list_usual_specs()})"
    )
    made.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other computers in (default: 127.0.0.1)")
    made.add_argument("--port", type=_port, default=_PORT, help=f"the port (default: {_PORT}); 0 for any that is free")
    made.add_argument("--time", type=_duration, default=300.0, help="a side for the whole game (default: 5m)")
    made.add_argument("--gift", type=_duration, default=0.25, help="of each move that costs nothing (default: 250ms)")
    made.add_argument("--pause", type=_duration, default=3.0, help="before the first move of a game (default: 3s)")
    made.add_argument("--pair", type=_duration, default=5.0, help="how often those who wait are paired (default: 5s)")
    made.add_argument(
        "--accounts",
        choices=("open", "closed"),
        default="open",
        help="open: an unknown name gets an account when it logs in, as on CGOS; closed: `account NAME` makes them all "
        "(default: open)",
    )
    made.add_argument(
        "--new-accounts", type=_count, default=20, metavar="N", help="of one address in an hour (default: 20)"
    )
    made.add_argument(
        "--anchor",
        type=_anchor,
        action="append",
        default=[],
        metavar="NAME=RATING",
        help="an account whose rating stays as it is, so that all others have a measure; may be given again",
    )
    made.add_argument(
        "--http",
        type=_port,
        metavar="PORT",
        help="a port for browsers: standings, ratings over time and games, and /health and /metrics for programs",
    )
    made.add_argument(
        "--tournament",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a tournament that begins at its time, or goes on; may be given again",
    )
    add_watch_option(made)
    add_folder(made)
    _add_tls(made)
    _add_limits(made)
    return made


def _add_tls(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "encrypted lines", "a second port that speaks TLS; SIGHUP reads a renewed certificate"
    )
    group.add_argument("--cert", type=Path, metavar="FILE", help="certificates in PEM, the server's own first")
    group.add_argument("--key", type=Path, metavar="FILE", help="its key in PEM, if that is not in the same file")
    group.add_argument("--tls-port", type=_port, metavar="PORT", help="the port for TLS (default: the next one)")
    group.add_argument("--tls-only", action="store_true", help="open no port on which passwords can be read")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits, room = ConnectionLimits(), LobbySettings(())
    group = parser.add_argument_group("limits")

    def add(name: str, default: float, text: str, read: Callable[[str], float] = _count) -> None:
        group.add_argument(name, type=read, default=default, metavar="N", help=f"{text} (default: {default:g})")

    add("--players", room.players, "accounts that are logged in")
    add("--reserved", room.reserved, "of these, for players whose games are on", _whole)
    add("--from-one-address", room.from_one_address, "accounts that are logged in from one address")
    add("--viewers", room.viewers, "viewers, who need no account", _whole)
    add("--viewers-from-one-address", room.viewers_from_one_address, "of these from one address")
    add("--half-open", limits.half_open, "connections that have not logged in; the crowd of one address makes room")
    add("--login-time", limits.login_s, "seconds until a connection has logged in", _duration)
    add("--arrivals", limits.arrivals_a_second, "connections that are taken in, a second")
    add("--line-bytes", limits.line, "bytes in a line")
    add("--lines", limits.lines_a_second, "lines a second on a connection, in the long run")
    add("--lines-at-once", limits.lines_at_once, "lines at once")
    add("--faults", limits.faults_at_once, "faults of an address; one a second is forgiven")


def add_folder(parser: argparse.ArgumentParser) -> None:
    """The option that says where the server keeps what it keeps."""
    parser.add_argument("--dir", type=Path, help="where accounts, games and records are kept")


def find_folder(options: argparse.Namespace) -> Path:
    """The folder of the server."""
    return options.dir or state_folder() / "server"


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
    """Raises ConfigError for options that do not go together."""
    faults = []
    if options.time <= 0 or options.pair <= 0:
        faults.append("--time and --pair: expected more than 0")
    if options.cert is None and (options.key or options.tls_port is not None or options.tls_only):
        faults.append("--key, --tls-port and --tls-only: expected --cert with them")
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
    )
