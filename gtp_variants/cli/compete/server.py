"""The command `gtp-variants server`: bots and people play our games over the network."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gtp_variants.broadcast.address import Place
from gtp_variants.broadcast.publisher import Publisher
from gtp_variants.cli.compete import server_words
from gtp_variants.cli.compete.server_options import check, find_folder, parser as parser, read_limits, read_settings
from gtp_variants.errors import ConfigError, Refused, VariantsError
from gtp_variants.installation import install_command
from gtp_variants.records.files import complain
from gtp_variants.rules import words
from gtp_variants.server.access.machine import Certificate, raise_file_limit, spare_pauses
from gtp_variants.server.account_game import AccountGame
from gtp_variants.server.admin import WORDS, Admin, AdminPort
from gtp_variants.server.game_publisher import ServerBroadcast
from gtp_variants.server.lobby import Lobby
from gtp_variants.server.sockets import LineServer
from gtp_variants.server.store import ServerStore
from gtp_variants.server.tournaments.plan import load_plan
from gtp_variants.server.tournaments.runner import Tournaments
from gtp_variants.server.tournaments.store import TournamentStore

if TYPE_CHECKING:
    from gtp_variants.server.site.application import SitePort


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted, or say something to a server; the exit status: 0, or 2 for what cannot be done."""
    word = arguments[0] if arguments and arguments[0] in (server_words.ACCOUNT, *WORDS) else None
    try:
        if word is not None:
            return server_words.run(word, arguments[1:])
        return asyncio.run(_serve(parser().parse_args(arguments)))
    except Refused as error:
        sys.stderr.write(f"gtp-variants server: {error.answer}\n")
        return 2
    except (OSError, VariantsError) as error:
        return complain("server", error, words.LANGUAGES[0])
    except (KeyboardInterrupt, EOFError):
        return 0 if word is None else 2


async def _serve(options: argparse.Namespace) -> int:
    check(options)
    folder = find_folder(options)
    raise_file_limit()
    store = ServerStore(folder / "server.sqlite3")
    try:
        store.claim()
        with _open_broadcast(options) as show:
            lobby = Lobby(read_settings(options), store, folder, _log, show=show)
            plans = [load_plan(path) for path in options.tournament]
            tournaments = Tournaments(lobby, plans, TournamentStore(folder), _log) if plans else None
            await _listen(lobby, options, folder, tournaments)
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


async def _listen(lobby: Lobby, options: argparse.Namespace, folder: Path, tournaments: Tournaments | None) -> None:
    """Let people in until a signal comes."""
    listener = LineServer(lobby, _log, read_limits(options), pair_s=options.pair)
    tls = None if options.cert is None else Certificate(options.cert, options.key)
    admin = AdminPort(Admin(lobby, _log), folder)
    http = None if options.http is None else _open_site(listener, folder, options, tournaments)
    # Heard from before anybody is told that it listens.
    told = _hear_signals(tls)
    try:
        await admin.open()
        if not options.tls_only:
            await listener.open(options.host, options.port)
            sys.stdout.write(f"listening on {options.host}:{listener.port}\n")
        if tls is not None:
            wanted = options.tls_port if options.tls_port is not None else options.port and options.port + 1
            port = await listener.open(options.host, wanted, tls.context)
            sys.stdout.write(f"listening on {options.host}:{port} with TLS\n")
        if http is not None:
            sys.stdout.write(f"pages at http://{options.host}:{http.port}\n")
        sys.stdout.write("".join(f"  {spec}\n" for spec in lobby.specs))
        sys.stdout.write(f"accounts, games and records are in {folder}; Ctrl-C ends the server, games are kept\n")
        sys.stdout.flush()
        await _wait_for_end(listener, told)
    finally:
        if http is not None:
            await http.close()
        admin.close()
        await listener.close()


def _open_site(
    listener: LineServer, folder: Path, options: argparse.Namespace, tournaments: Tournaments | None
) -> "SitePort":
    """The pages for browsers. Raises ConfigError if what they need is not installed, and OSError."""
    try:
        from gtp_variants.server.site.application import SitePort
    except ImportError as error:
        raise ConfigError([f"--http needs {error.name}; install it with {install_command('web')}"]) from None
    return SitePort(listener.lobby, folder, listener.gate, options.host, options.http, tournaments, options.proxy)


def _hear_signals(tls: Certificate | None) -> asyncio.Event:
    """What is set by the signal that ends the server."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Windows knows no handlers of signals; there Ctrl-C interrupts.
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, told.set)
        if tls is not None:
            loop.add_signal_handler(signal.SIGHUP, tls.reload, _log)
    return told


async def _wait_for_end(listener: LineServer, told: asyncio.Event) -> None:
    """Until a signal, or the end of a drained server, or until something fails that must not."""
    ends = (told.wait(), listener.lobby.is_empty.wait(), listener.wait(), spare_pauses())
    waiting = [asyncio.ensure_future(end) for end in ends]
    done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    for task in done:
        task.result()


def _log(text: str) -> None:
    """A line with the time, in UTC: what happened here and in the logs of others can be laid side by side."""
    sys.stderr.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + f"Z {text}\n")
    sys.stderr.flush()
