"""The command `gtp-variants web`: a page for playing and watching, on this computer or on the local network."""

import argparse
import ipaddress
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from gtp_variants.base.connection_gate import ConnectionLimits, Gate
from gtp_variants.base.installation import install_command
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
        return _serve(options)
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


def _serve(options: argparse.Namespace) -> int:
    import uvicorn

    from gtp_variants.site.access.passwords import load_key
    from gtp_variants.site.access.visitors import Visitors
    from gtp_variants.site.log import log_warnings
    from gtp_variants.site.page.guard import AccessPolicy, own_names
    from gtp_variants.site.page.opponents import Opponents, read_engines
    from gtp_variants.site.page.page_games import PageGames
    from gtp_variants.site.page.requests import Services
    from gtp_variants.site.page.seat_locks import new_token
    from gtp_variants.site.page.server import configuration, site_routes
    from gtp_variants.site.site_file import SiteStore

    log_warnings()
    token = options.token or (None if is_loopback(options.host) else new_token())
    opponents = Opponents(read_engines(options.engine))
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    with socket.create_server((options.host, options.port), family=family) as listening:
        # Send at once: otherwise the second of two short messages waits up to 40 ms until the first is acknowledged.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        store = options.store or default_store()
        site = SiteStore(store, "exclusive")
        games = PageGames(site.games, opponents=opponents)
        port = listening.getsockname()[1]
        addresses = local_addresses(options.host, port)
        publishing = announce(store, _own_url(options.host, port))
        lines = _greeting(options, port, addresses, token)
        lines += [*_publishing(store, publishing, addresses, options.lang), say("cli.web_ends", options.lang)]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
        access = AccessPolicy(own_names([*options.name, options.host]), token, publishing.key)
        visitors = Visitors(load_key(store.with_suffix(".key")))
        services, gate = Services(games, access, visitors), Gate(ConnectionLimits())
        with suppress(KeyboardInterrupt):
            uvicorn.Server(configuration(services, gate, site_routes(services, gate, addresses))).run([listening])
        site.close()
    return 0


def _greeting(options: argparse.Namespace, port: int, addresses: Sequence[str], token: str | None) -> list[str]:
    """Return the lines to print once the server is listening."""
    parts = [f"token={quote(token, safe='')}" if token else "", f"new={quote(options.spec)}" if options.spec else ""]
    fragment = "#" + "&".join(filter(None, parts)) if any(parts) else ""
    here = [] if addresses and options.host not in ("0.0.0.0", "::") else [f"http://127.0.0.1:{port}"]
    lines = [say("cli.web_open", options.lang, address=f"{address}/{fragment}") for address in [*here, *addresses]]
    if not addresses:
        lines.append(say("cli.web_only_here", options.lang))
    return lines


def _publishing(store: Path, address: Address, addresses: Sequence[str], lang: str) -> list[str]:
    """Return lines that explain how other programs can show their games here."""
    where = "" if store == default_store() else f" {address_file(store)}"
    lines = [say("cli.web_watch", lang, option=f"--watch{where}")]
    options = (f"--watch '{Address(each, address.key).line}'" for each in addresses)
    return lines + [say("cli.web_watch_elsewhere", lang, option=option) for option in options]


def _own_url(host: str, port: int) -> str:
    """Return the URL at which programs on this computer can reach the server."""
    return _url({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)
