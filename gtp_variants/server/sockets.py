"""The server's sockets: lines in and out, with limits on their length, their rate and their number."""

import asyncio
import ipaddress
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from gtp_variants.errors import Refused
from gtp_variants.server.lobby import Guest, Lobby


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What a connection may do.

    Bytes in a line; lines a second, on average and at once; connections, in all and from one address; seconds until
    it has logged in; bytes that may wait for one who does not read; seconds to take in the last words.
    """

    line: int = 16_384
    lines_a_second: float = 50.0
    lines_at_once: float = 200.0
    connections: int = 500
    from_one_address: int = 100
    login_s: float = 60.0
    waiting: int = 4 * 2**20
    leave_s: float = 10.0


class LineServer:
    """The open port of a hall. `pair_s` is how often those who wait are paired, `tick_s` how often clocks are read."""

    def __init__(
        self,
        lobby: Lobby,
        log: Callable[[str], None],
        limits: ConnectionLimits | None = None,
        *,
        pair_s: float = 5.0,
        tick_s: float = 0.25,
    ) -> None:
        self.port = 0
        self._lobby = lobby
        self._log = log
        self._limits = limits or ConnectionLimits()
        self._pair_s, self._tick_s = pair_s, tick_s
        self._server: asyncio.Server | None = None
        self._ticking: list[asyncio.Task[None]] = []
        self._open: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._addresses: Counter[str] = Counter()

    async def open(self, host: str, port: int) -> None:
        """Listen. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=self._limits.line)
        self.port = self._server.sockets[0].getsockname()[1]
        self._ticking = [
            asyncio.create_task(_every(self._tick_s, self._lobby.tick)),
            asyncio.create_task(_every(self._pair_s, self._lobby.pair)),
        ]

    async def wait(self) -> None:
        """Until something fails that must not; raises it."""
        for done in asyncio.as_completed(self._ticking):
            await done

    async def close(self) -> None:
        """Let go of everybody; the games are kept."""
        for task in self._ticking:
            task.cancel()
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        if self._open:
            await asyncio.wait(self._open)
        if self._server is not None:
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self._writers.add(writer)
        address = _address(writer)
        self._addresses[address] += 1
        guest = Guest(lambda line: self._say(writer, line), lambda: self._hang_up(writer), address)
        try:
            if len(self._open) > self._limits.connections or self._addresses[address] > self._limits.from_one_address:
                raise Refused("login", "too many connections; come back later")
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            await self._attend(guest, reader)
        except Refused as error:
            self._log(f"{guest.name or address}: {error.answer}")
            self._say(writer, f"Error: {error.answer}")
        except OSError:
            pass
        finally:
            self._lobby.leave(guest)
            self._addresses[address] -= 1
            self._addresses += Counter()
            self._open.discard(task)
            self._hang_up(writer)

    async def _attend(self, guest: Guest, reader: asyncio.StreamReader) -> None:
        """Take in lines until there are no more. Raises Refused."""
        loop = asyncio.get_running_loop()
        self._lobby.enter(guest)
        login_until = loop.time() + self._limits.login_s
        allowed, last = self._limits.lines_at_once, loop.time()
        while True:
            try:
                async with asyncio.timeout_at(None if guest.is_in else login_until):
                    line = await reader.readline()
            except TimeoutError:
                raise Refused("login", "nobody logged in in time") from None
            except ValueError:
                raise Refused("line", f"a line of over {self._limits.line} bytes") from None
            # What ends without a line feed was cut off on its way.
            if not line.endswith(b"\n"):
                return
            now = loop.time()
            allowed = min(self._limits.lines_at_once, allowed + (now - last) * self._limits.lines_a_second) - 1
            last = now
            if allowed < 0:
                raise Refused("line", "too many lines")
            await self._lobby.receive(guest, line.decode("utf-8", "replace"))

    def _hang_up(self, writer: asyncio.StreamWriter) -> None:
        """Close a line; who does not read what was said last is not waited for."""
        with suppress(OSError):
            writer.close()
        asyncio.get_running_loop().call_later(self._limits.leave_s, self._forget, writer)

    def _forget(self, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        self._writers.discard(writer)

    def _say(self, writer: asyncio.StreamWriter, line: str) -> None:
        if writer.is_closing():
            return
        if writer.transport.get_write_buffer_size() > self._limits.waiting:
            # Who does not read is gone for all we can tell.
            writer.transport.abort()
            return
        writer.write((line + "\n").encode())


def _address(writer: asyncio.StreamWriter) -> str:
    """Where a connection comes from; of IPv6 the network, as whoever has one has all its addresses."""
    text = str((writer.get_extra_info("peername") or ("?",))[0])
    if ":" not in text:
        return text
    address = ipaddress.IPv6Address(text.partition("%")[0])
    return str(address.ipv4_mapped or ipaddress.IPv6Network((address, 64), strict=False))


async def _every(seconds: float, do: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(seconds)
        do()
