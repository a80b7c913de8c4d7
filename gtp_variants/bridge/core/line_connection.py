"""Lines of text over TCP: assembled from parts, limited in length, and freed of telnet commands."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress

from gtp_variants.errors import PeerGarbled, PeerGone, PeerSilent

_CHUNK = 65536
# Maximum length of a line in bytes. CGOS sends a game of 361 moves in one line of about 10,000 bytes.
_LONGEST = 256 * 1024
_IAC, _SUBNEGOTIATION, _END = 255, 250, 240
_WITH_OPTION = range(251, 255)
_LONGEST_COMMAND = 512
_CONNECT_S = 20.0


class TextLine:
    """A line-based connection. `log` receives each line, with `(secret)` in place of a secret line."""

    def __init__(self, log: Callable[[str], None], charset: str = "utf-8") -> None:
        self._log = log
        self._charset = charset
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._arrived = b""
        # An incomplete telnet command.
        self._command = b""

    async def open(self, host: str, port: int) -> None:
        """Connect to a server. Raises PeerGone if that fails."""
        try:
            async with asyncio.timeout(_CONNECT_S):
                self._reader, self._writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            raise PeerGone(f"{host}:{port}: cannot connect: {error or 'no answer'}") from None
        found = self._writer.get_extra_info("socket")
        if found is not None:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    async def read(self, timeout_s: float, prompts: tuple[str, ...] = ()) -> str:
        """Return the next line without its line break, or an unfinished line that ends in one of the prompts.

        Raises PeerGone if the connection is lost, PeerSilent after `timeout_s`, or PeerGarbled if a line is too long.
        """
        deadline = asyncio.get_running_loop().time() + timeout_s
        while True:
            line, end, rest = self._arrived.partition(b"\n")
            if end:
                self._arrived = rest
                return self._take_line(line)
            waiting = line.decode(self._charset, "replace").strip()
            if waiting.endswith(prompts) and prompts:
                self._arrived = b""
                return self._take_line(line)
            if len(line) > _LONGEST:
                raise PeerGarbled(f"line longer than {_LONGEST} bytes")
            self._arrived += self._without_telnet(await self._receive(deadline))

    async def _receive(self, deadline: float) -> bytes:
        assert self._reader is not None
        try:
            async with asyncio.timeout_at(deadline):
                chunk = await self._reader.read(_CHUNK)
        except TimeoutError:
            raise PeerSilent("nothing received for too long") from None
        except OSError as error:
            raise PeerGone(f"connection lost: {error}") from None
        if not chunk:
            raise PeerGone("the server closed the connection")
        return chunk

    def _take_line(self, line: bytes) -> str:
        text = line.decode(self._charset, "replace").rstrip("\r ").replace("\r", "")
        self._log(f"< {text}")
        return text

    def _without_telnet(self, chunk: bytes) -> bytes:
        """Return the chunk without telnet commands. An incomplete command is kept for the next chunk."""
        chunk, self._command = self._command + chunk, b""
        if _IAC not in chunk:
            return chunk.replace(b"\0", b"")
        kept, index = bytearray(), 0
        while index < len(chunk):
            if chunk[index] != _IAC:
                kept.append(chunk[index])
                index += 1
                continue
            length = _command_length(chunk[index : index + _CHUNK])
            if length is None:
                self._command = chunk[index:]
                break
            index += length
        return bytes(kept).replace(b"\0", b"")

    async def write(self, text: str, *, is_secret: bool = False) -> None:
        """Send a line. Raises PeerGone if the connection is lost."""
        self._log("> (secret)" if is_secret else f"> {text}")
        await self.send(text.encode(self._charset, "replace") + b"\n")

    async def send(self, data: bytes) -> None:
        """Send bytes. Raises PeerGone if the connection is lost."""
        if self._writer is None:
            raise PeerGone("not connected")
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise PeerGone(f"connection lost: {error}") from None

    async def close(self) -> None:
        """Close the connection, if it is open."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await writer.wait_closed()


def _command_length(data: bytes) -> int | None:
    """Return the length of the telnet command at the start of `data`, or None if it is incomplete."""
    if len(data) < 2:
        return None
    if data[1] in _WITH_OPTION:
        return 3 if len(data) >= 3 else None
    if data[1] == _SUBNEGOTIATION:
        end = data.find(bytes((_IAC, _END)))
        if end < 0:
            # A command that never ends must not swallow all further text.
            return None if len(data) < _LONGEST_COMMAND else 2
        return end + 2
    return 2
