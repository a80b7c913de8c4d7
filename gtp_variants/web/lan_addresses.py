"""Under which addresses other devices of the local network reach this computer."""

import ipaddress
import socket

# Reserved for documentation: where the way out is looked for; nothing is sent there.
_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}


def local_addresses(host: str, port: int) -> list[str]:
    """The addresses of a server that listens at `host`, the best first; [] for one nobody else reaches."""
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
    """The address with which this computer would speak to the outside."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_ELSEWHERE[family], 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a server that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
