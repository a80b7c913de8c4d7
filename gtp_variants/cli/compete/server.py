"""The command `gtp-variants server`, with which bots and people play our games over the network.

`server account` and `server` with a word from `WORDS` administer a server.
"""

import argparse
import asyncio
import gc
import signal
import ssl
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from getpass import getpass
from ipaddress import ip_address
from math import inf, isfinite
from pathlib import Path

from gtp_variants.base.connection_gate import ConnectionLimits, plain_address
from gtp_variants.base.folders import state_folder
from gtp_variants.base.installation import install_command
from gtp_variants.base.tasks import hear_signals
from gtp_variants.cli.parser import COUNT, COUNT_OR_NONE, PORT, CommandParser, asked_language, language_of
from gtp_variants.errors import ConfigError, Refused, VariantsError
from gtp_variants.lang import say, system_language
from gtp_variants.players.config_readers import duration
from gtp_variants.records.files import complain
from gtp_variants.records.record import printable
from gtp_variants.site.access.accounts import Account, check_name, check_password, hash_password, is_name
from gtp_variants.site.lobby.admin import WORDS, Admin, AdminPort, tell_server
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.lobby.sockets import LineServer
from gtp_variants.site.log import log_warnings
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.site_file import SiteStore
from gtp_variants.site.tournaments import Tournaments, TournamentStore, load_plan

_PORT = 6867


def parser() -> CommandParser:
    """Return the parser of the command without an administrator's word."""
    made = CommandParser("server")
    room = LobbySettings()
    made.parts["usual"] = " ".join(room.specs)
    made.add_argument("spec", metavar="SPEC", nargs="*", default=[])
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=PORT.read_whole, default=_PORT)
    made.add_argument("--time", dest="level_s", type=_duration_above_0, default=room.level_s, metavar="TIME")
    made.add_argument("--gift", dest="gift_s", type=duration, default=room.gift_s, metavar="TIME")
    made.add_argument("--pause", dest="pause_s", type=duration, default=room.pause_s, metavar="TIME")
    made.add_argument("--pair", type=_duration_above_0, default=5.0, metavar="TIME")
    made.add_argument("--accounts", choices=("open", "closed"), default="open")
    made.add_argument("--new-accounts", type=COUNT.read_whole, default=room.new_accounts, metavar="N")
    made.add_argument("--anchor", type=_anchor, action="append", default=[], metavar="NAME=RATING")
    made.add_argument("--http", type=PORT.read_whole, metavar="PORT")
    made.add_argument("--proxy", type=_address, action="append", default=[], metavar="ADDRESS")
    made.add_argument("--tournament", type=Path, action="append", default=[], metavar="FILE")
    made.add_argument("--dir", type=Path)
    _add_tls(made)
    _add_limits(made)
    return made


def _add_tls(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("group_encrypted")
    group.add_argument("--cert", type=Path, metavar="FILE")
    group.add_argument("--key", type=Path, metavar="FILE")
    group.add_argument("--tls-port", type=PORT.read_whole, metavar="PORT")
    group.add_argument("--tls-only", action="store_true")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    usual = asdict(ConnectionLimits()) | asdict(LobbySettings())
    group = parser.add_argument_group("group_limits")

    def add(option: str, field: str, read: Callable[[str], float] = COUNT.read_whole) -> None:
        group.add_argument(option, dest=field, type=read, default=usual[field], metavar="N")

    add("--players", "players")
    add("--reserved", "reserved", COUNT_OR_NONE.read_whole)
    add("--from-one-address", "from_one_address")
    add("--viewers", "viewers", COUNT_OR_NONE.read_whole)
    add("--viewers-from-one-address", "viewers_from_one_address")
    add("--half-open", "half_open")
    add("--login-time", "login_s", duration)
    add("--arrivals", "arrivals_a_second")
    add("--line-bytes", "line")
    add("--lines", "lines_a_second")
    add("--lines-at-once", "lines_at_once")
    add("--faults", "faults_at_once")
    add("--unheard", "unheard", COUNT_OR_NONE.read_whole)


def find_folder(options: argparse.Namespace) -> Path:
    """Return the folder of the server."""
    return options.dir or state_folder() / "server"


def _duration_above_0(text: str) -> float:
    if not (found := duration(text)):
        raise ValueError("expected more than 0")
    return found


def _address(text: str) -> str:
    try:
        return plain_address(str(ip_address(text)))
    except ValueError:
        raise ValueError("expected an address such as 127.0.0.1 or ::1") from None


def _anchor(text: str) -> tuple[str, float]:
    name, _, rating = text.partition("=")
    try:
        found = float(rating)
    except ValueError:
        found = inf
    if not is_name(name) or not isfinite(found):
        raise ValueError("expected NAME=RATING, such as greedy=1200")
    return name, found


def check(options: argparse.Namespace) -> None:
    """Raise ConfigError for options that contradict each other."""
    faults = []
    if options.cert is None and (options.key or options.tls_port is not None or options.tls_only):
        faults.append("--key, --tls-port, --tls-only: expected --cert with them")
    if options.proxy and options.http is None:
        faults.append("--proxy: expected --http with it")
    if options.reserved >= options.players:
        faults.append(f"--reserved {options.reserved}: expected fewer than --players, {options.players}")
    if faults:
        raise ConfigError(faults)


def read_settings(options: argparse.Namespace) -> LobbySettings:
    """Return the settings of the lobby, such as the games it offers and who may have an account."""
    names = {field.name for field in fields(LobbySettings)}
    settings = LobbySettings(**{name: value for name, value in vars(options).items() if name in names})
    return replace(settings, specs=tuple(options.spec) or settings.specs, is_open=options.accounts == "open")


ACCOUNT = "account"


def word_parser(word: str) -> CommandParser:
    """Return the parser of `server account`, or of `server` with one of the administrator's words."""
    made = CommandParser(f"server {word}")
    if word == ACCOUNT:
        made.add_argument("name", metavar="NAME")
    else:
        made.add_argument("words", metavar=WORDS[word] or "NOTHING", nargs="*")
    made.add_argument("--dir", type=Path)
    return made


def _keep_account(options: argparse.Namespace) -> int:
    """Create an account, or change its password. The password is read from standard input."""
    name = check_name(options.name)
    password = hash_password(check_password(name, _asked_password(name)))
    with closing(SiteStore(find_folder(options) / "server.sqlite3")) as store:
        before = store.accounts.find(name)
        store.accounts.write(Account(name, password))
    key = "new_account" if before is None else "new_password"
    _say(key, language_of(options), name=name if before is None else before.name)
    return 0


def _asked_password(name: str) -> str:
    """Return the password typed twice at a terminal, or else the first line of input. Raises Refused for a mismatch."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass(f"password of {name}: ")
    if getpass("once more: ") != password:
        raise Refused(ACCOUNT, "password: the two entries differ; type the same password twice")
    return password


# Seconds between full garbage collections. With a hundred games, each takes about 5 ms, or 20 ms without `gc.freeze`.
_COLLECTION_S = 60.0
# A threshold so high that Python never starts a full collection by itself.
_NEVER = 10**6


async def spare_pauses() -> None:
    """Keep garbage collection from delaying moves: freeze loaded objects, and collect the rest once a minute."""
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)
    gc.collect()
    gc.freeze()
    while True:
        await asyncio.sleep(_COLLECTION_S)
        gc.collect()


def raise_file_limit() -> None:
    """Raise the limit on open files to the hard limit, because every connection is an open file."""
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Certificate:
    """A certificate for TLS 1.2 and later, which can be replaced while the server is running."""

    def __init__(self, cert: Path, key: Path | None) -> None:
        """Load a certificate and its key from two files, or from one file with both. Raises ConfigError if unusable."""
        self._cert, self._key = cert, key
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            self.context.load_cert_chain(cert, key)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError([f"--cert {cert}, --key {key or cert}: cannot be used: {error}"]) from error

    def reload(self, log: Callable[[str], None]) -> None:
        """Read the files again. Keep the old certificate if they cannot be used."""
        try:
            self.context.load_cert_chain(self._cert, self._key)
        except (OSError, ssl.SSLError) as error:
            log(f"cannot reload {self._cert}, so the old certificate stays: {error}")
        else:
            log(f"{self._cert}: read again")


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted, or administer a server. Return 0, or 2 if a request is refused or interrupted."""
    word = arguments[0] if arguments and arguments[0] in (ACCOUNT, *WORDS) else None
    try:
        if word is None:
            return asyncio.run(_serve(parser().parse_args(arguments)))
        options = word_parser(word).parse_args(arguments[1:])
        if word == ACCOUNT:
            return _keep_account(options)
        answer = asyncio.run(tell_server(find_folder(options), [word, *options.words]))
        sys.stdout.write(f"{answer}\n" if answer else "")
        return 0
    except Refused as error:
        return complain("server", VariantsError(error.answer), asked_language(arguments) or system_language())
    except (KeyboardInterrupt, EOFError):
        return 0 if word is None else 2


async def _serve(options: argparse.Namespace) -> int:
    check(options)
    folder = find_folder(options)
    raise_file_limit()
    log_warnings()
    with closing(SiteStore(folder / "server.sqlite3", anchors=dict(options.anchor), is_server=True)) as store:
        lobby = Lobby(read_settings(options), store, folder, _log, opponents=Opponents(has_bots=False))
        plans = [load_plan(path) for path in options.tournament]
        tournaments = Tournaments(lobby, plans, TournamentStore(store.database), _log) if plans else None
        await _listen(lobby, options, folder, tournaments)
    return 0


async def _listen(lobby: Lobby, options: argparse.Namespace, folder: Path, tournaments: Tournaments | None) -> None:
    """Serve until `_wait_for_end` returns. Raises OSError if a port is taken, ConfigError if a package is missing."""
    names = {field.name for field in fields(ConnectionLimits)}
    limits = ConnectionLimits(**{name: value for name, value in vars(options).items() if name in names})
    listener, lang = LineServer(lobby, _log, limits, pair_s=options.pair), language_of(options)
    tls = None if options.cert is None else Certificate(options.cert, options.key)
    admin = AdminPort(Admin(lobby, _log), folder)
    http = None
    if options.http is not None:
        try:
            from gtp_variants.site.http import open_port
            from gtp_variants.site.lobby.application import SitePort
        except ImportError as error:
            raise ConfigError([f"--http needs {error.name}; install it with {install_command('web')}"]) from None
        listening = open_port(options.host, options.http)
        http = SitePort(lobby, folder, listener.gate, listening, tournaments, options.proxy)
    # Set the handlers before printing "listening", because a host may send a signal as soon as it reads that line.
    told = hear_signals()
    if tls is not None and hasattr(signal, "SIGHUP"):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, tls.reload, _log)
    try:
        await admin.open()
        if not options.tls_only:
            await listener.open(options.host, options.port)
            _say("listening", lang, host=options.host, port=listener.port)
        if tls is not None:
            wanted = options.tls_port if options.tls_port is not None else options.port and options.port + 1
            port = await listener.open(options.host, wanted, tls.context)
            _say("listening_tls", lang, host=options.host, port=port)
        if http is not None:
            _say("pages", lang, address=f"http://{options.host}:{http.port}")
        sys.stdout.write("".join(f"  {spec}\n" for spec in lobby.offered.specs))
        _say("kept", lang, folder=folder)
        sys.stdout.flush()
        await _wait_for_end(listener, told)
    finally:
        if http is not None:
            await http.close()
        admin.close()
        await listener.close()


async def _wait_for_end(listener: LineServer, told: asyncio.Event) -> None:
    """Wait for a signal, for a drained server to become empty, or for one of its tasks to fail."""
    ends = (told.wait(), listener.lobby.is_empty.wait(), listener.wait(), spare_pauses())
    waiting = [asyncio.ensure_future(end) for end in ends]
    done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    for task in done:
        task.result()


def _say(key: str, lang: str, **parts: object) -> None:
    """Print a sentence about the server in the language `lang`. Programs wait for the sentence "listening"."""
    sys.stdout.write(f"{say(f'cli.server_{key}', lang, **parts)}\n")


def _log(text: str) -> None:
    """Write a line with the time in UTC, so that logs from several programs can be compared."""
    sys.stderr.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + f"Z {printable(text)}\n")
    sys.stderr.flush()
