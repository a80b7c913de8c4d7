"""The PROXY protocol: a proxy says before all else for whom it opens a connection.

Source: W. Tarreau, The PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt).
"""

import asyncio
import ipaddress
import socket
import struct

_SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
_TEXT = b"PROXY "
# The shortest header of either version, the longest of the first, and more than any of the second that is in use.
_SHORTEST, _LONGEST_TEXT, _LONGEST_BINARY = 15, 107, 2048
_ADDRESSES = {0x11: ipaddress.IPv4Address, 0x21: ipaddress.IPv6Address}
_LENGTHS = {0x11: 4, 0x21: 16}


async def receive_source(arrived: socket.socket) -> str:
    """The address for which a proxy opened this connection, "" where it speaks for itself; no byte more is read.

    Raises ValueError for what is no header, OSError for a connection that ends.
    """
    head = await _receive(arrived, _SHORTEST)
    if head.startswith(_TEXT):
        while not head.endswith(b"\r\n"):
            if len(head) >= _LONGEST_TEXT:
                raise ValueError("a header of the PROXY protocol without an end")
            head += await _receive(arrived, 1)
        return _source_of_text(head)
    if not head.startswith(_SIGNATURE):
        raise ValueError("expected a header of the PROXY protocol")
    head += await _receive(arrived, 1)
    version_and_command, family, length = struct.unpack("!BBH", head[12:16])
    if length > _LONGEST_BINARY:
        raise ValueError(f"a header of the PROXY protocol of {length} bytes")
    return _source_of_binary(version_and_command, family, await _receive(arrived, length))


async def _receive(arrived: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        more = await asyncio.get_running_loop().sock_recv(arrived, count - len(found))
        if not more:
            raise ConnectionResetError("the connection was closed before its header")
        found += more
    return found


def _source_of_text(head: bytes) -> str:
    """The address in a header of version 1, such as `PROXY TCP4 192.0.2.7 192.0.2.1 56324 6867`."""
    words = head.decode("ascii", "replace").split()
    if words[1:2] == ["UNKNOWN"]:
        return ""
    if len(words) != 6 or words[1] not in ("TCP4", "TCP6"):
        raise ValueError("a header of the PROXY protocol that cannot be read")
    return str(ipaddress.ip_address(words[2]))


def _source_of_binary(version_and_command: int, family: int, rest: bytes) -> str:
    """The address in a header of version 2."""
    if version_and_command not in (0x20, 0x21):
        raise ValueError("a header of the PROXY protocol of an unknown version")
    if version_and_command == 0x20 or family not in _ADDRESSES:
        return ""
    if len(rest) < 2 * _LENGTHS[family] + 4:
        raise ValueError("a header of the PROXY protocol that is too short for its addresses")
    return str(_ADDRESSES[family](rest[: _LENGTHS[family]]))
