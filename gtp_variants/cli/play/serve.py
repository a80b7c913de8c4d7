"""The command `gtp-variants web`: a page for playing and watching, on this computer or on the local network."""

import argparse
import asyncio
import ipaddress
import logging
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from gtp_variants.base.connection_gate import ConnectionLimits, Gate
from gtp_variants.base.installation import install_command
from gtp_variants.base.tasks import hear_signals
from gtp_variants.cli.parser import PORT, CommandParser, language_of
from gtp_variants.lang import say
from gtp_variants.players.publisher import Address, address_file, announce, default_store
from gtp_variants.rules import parse

# Addresses reserved for documentation. Connecting a UDP socket to them shows the outgoing interface and sends nothing.
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def local_addresses(host: str, port: int) -> list[str]:
    """Return the URLs of a server that listens on `host`, the best first, or [] if only this computer can reach it."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return [] if host == "localhost" else [_url(host, port)]
    if address.is_loopback:
        return []
    if not address.is_unspecified:
        return [_url(host, port)]
    families = [socket.AF_INET] if address.version == 4 else [socket.AF_INET, socket.AF_INET6]
    found = [_own_address(family) for family in families]
    return [_url(each, port) for each in found if each is not None]


def _own_address(family: socket.AddressFamily) -> str | None:
    """Return this computer's address on the local network, or None without a network."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_ELSEWHERE[family], 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Return True if only this computer can reach a server that listens on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_NEEDED = """\
gtp-variants web: the page needs {missing}, which is not installed. Install it with
    {command}
"""
_SHORTEST_TOKEN = 16
_PORT = 8361
# The address at which programs on this computer reach a server that listens on all its addresses.
_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
# Seconds between pairings of people who wait in the lobby.
_PAIR_S = 5.0


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted. Return 0, or 2 if a package is missing. Raises OSError or VariantsError on failure."""
    options = parser().parse_args(arguments)
    options.lang = language_of(options)
    try:
        import segno  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        sys.stderr.write(_NEEDED.format(missing=error.name, command=install_command("web")))
        return 2
    try:
        if options.spec is not None:
            parse(options.spec)
        return asyncio.run(_serve(options))
    except KeyboardInterrupt:
        # Ctrl-C is the normal way to stop the server, even before the first request.
        return 0


def parser() -> CommandParser:
    made = CommandParser("web")
    made.parts["shortest"] = _SHORTEST_TOKEN
    made.add_argument("spec", metavar="SPEC", nargs="?")
    made.add_argument("--port", type=PORT.read_whole, default=_PORT)
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--token", type=_token)
    made.add_argument("--name", action="append", default=[])
    made.add_argument("--engine", action="append", default=[], metavar="NAME=COMMAND")
    made.add_argument("--store", type=Path, metavar="FILE")
    return made


def _token(text: str) -> str:
    if not re.fullmatch(f"[!-~]{{{_SHORTEST_TOKEN},}}", text):
        raise ValueError(f"expected at least {_SHORTEST_TOKEN} characters, without accents or blanks")
    return text


async def _serve(options: argparse.Namespace) -> int:
    from gtp_variants.site.access.visitors import OwnerAddress
    from gtp_variants.site.http import open_port
    from gtp_variants.site.lobby.application import SitePort
    from gtp_variants.site.lobby.guests import LobbySettings
    from gtp_variants.site.lobby.lobby import Lobby
    from gtp_variants.site.lobby.sockets import every
    from gtp_variants.site.log import log_warnings
    from gtp_variants.site.page.guard import AccessPolicy, own_names
    from gtp_variants.site.page.opponents import Opponents, read_engines
    from gtp_variants.site.page.seat_locks import new_token
    from gtp_variants.site.site_file import SiteStore

    log_warnings()
    token = options.token or (None if is_loopback(options.host) else new_token())
    opponents = Opponents(read_engines(options.engine))
    store = options.store or default_store()
    with ExitStack() as opened:
        listening = opened.enter_context(open_port(options.host, options.port))
        site = SiteStore(store, is_server=True)
        opened.callback(site.close)
        port = listening.getsockname()[1]
        addresses, here = local_addresses(options.host, port), _url(_HERE.get(options.host, options.host), port)
        publishing = announce(store, here)
        names = own_names([*options.name, options.host])
        folder, log = _folder_of(store), logging.getLogger("gtp_variants.site").info
        owner = OwnerAddress(site.accounts.find_owner(), here, folder / "owner-address")
        access = AccessPolicy(names, token, publishing.key, owner)
        lobby = Lobby(LobbySettings(forgets_guests=False), site, folder, log, opponents=opponents)
        opened.callback(lobby.close)
        served = SitePort(lobby, folder, Gate(ConnectionLimits()), listening, access=access, addresses=addresses)
        pairing, told = asyncio.create_task(every(_PAIR_S, lobby.pair)), hear_signals()
        lines = _greeting(options, owner.text, addresses, token)
        lines += [*_publishing(store, publishing, addresses, options.lang), say("cli.web_ends", options.lang)]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
        try:
            await told.wait()
        finally:
            pairing.cancel()
            await served.close()
    return 0


def _folder_of(store: Path) -> Path:
    """Return the folder of the key that signs the cookies, and of the records of games from the lobby."""
    folder, key = store.with_name(f"{store.stem}-files"), store.with_suffix(".key")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if key.exists():
        # Older versions kept it beside the store.
        key.replace(folder / "session.key")
    return folder


def _greeting(options: argparse.Namespace, own: str, addresses: Sequence[str], token: str | None) -> list[str]:
    """Return the lines to print once the server is listening; `own` is the address for the user of this computer."""
    parts = [f"token={quote(token, safe='')}" if token else "", f"new={quote(options.spec)}" if options.spec else ""]
    fragment = "#" + "&".join(filter(None, parts)) if any(parts) else ""
    lines = [say("cli.web_open", options.lang, address=f"{own}{fragment}")]
    lines += [say("cli.web_others", options.lang, address=f"{address}/{fragment}") for address in addresses]
    if not addresses:
        lines.append(say("cli.web_only_here", options.lang))
    return lines


def _publishing(store: Path, address: Address, addresses: Sequence[str], lang: str) -> list[str]:
    """Return lines that explain how other programs can show their games here."""
    where = "" if store == default_store() else f" {address_file(store)}"
    lines = [say("cli.web_watch", lang, option=f"--watch{where}")]
    options = (f"--watch '{Address(each, address.key).line}'" for each in addresses)
    return lines + [say("cli.web_watch_elsewhere", lang, option=option) for option in options]
