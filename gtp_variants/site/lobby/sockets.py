"""The sockets of the server: lines in and out, with limits on their length, rate and number."""

import asyncio
import errno
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import cast

from gtp_variants.base.connection_gate import (
    Arrival,
    ConnectionLimits,
    Gate,
    Tarpit,
    TokenBucket,
    network_of,
    plain_address,
)
from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.errors import Refused
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby

_BACKLOG = 1024
_HANDSHAKE_S = 10.0
_NO_ROOM_S = 0.2
# After a quiet period, at most this many seconds' worth of arrivals are accepted at once.
_BURST_S = 0.02
# The cost of a refused connection as a share of an accepted connection's cost.
_REFUSAL_COST = 0.1
# Seconds between checks for refused connections that have waited long enough to be closed.
_UNHEARD_S = 0.5
# A silent peer is probed after two minutes, and considered gone three minutes later.
_KEEPALIVE = {"TCP_KEEPIDLE": 120, "TCP_KEEPINTVL": 30, "TCP_KEEPCNT": 6}
# Maximum lines from a client before it has logged in.
_LOGIN_LINES = 12
# Maximum unread input, in lines of maximum length.
_MOST_LINES = 4


class Connection(asyncio.Protocol):
    """One connection. Its lines go to the lobby in order; the answers of one event-loop turn are sent together."""

    def __init__(self, server: "LineServer", address: str) -> None:
        self._server = server
        self._limits = server.limits
        self.guest = Guest(self.say, self.hang_up, address, network_of(address))
        self.arrival = Arrival(self.guest.network, self._send_away)
        self.transport: asyncio.Transport | None = None
        # The task that opens the connection, with its TLS handshake if it uses TLS.
        self.opening: asyncio.Task[None] | None = None
        self._buffer = b""
        self._out: list[str] = []
        self._allowed = TokenBucket(_LOGIN_LINES, 1.0, time.monotonic())
        self._is_closing = False
        self._login: asyncio.Task[None] | None = None
        self._expiry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet the client, and limit the time for its login."""
        self.transport = cast(asyncio.Transport, transport)
        if self._is_closing:
            self.transport.abort()
            return
        self._expiry = asyncio.get_running_loop().call_later(self._limits.login_s, self._expire)
        self._server.lobby.enter(self.guest)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_closing = True
        if self._expiry is not None:
            self._expiry.cancel()
        self._server.forget(self)
        self._server.lobby.leave(self.guest)

    def data_received(self, data: bytes) -> None:
        if self._is_closing:
            return
        self._buffer += data
        self._read_lines()
        if len(self._buffer) > _MOST_LINES * self._limits.line:
            self._refuse(Refused("line", "too many lines"))

    def _read_lines(self) -> None:
        """Handle the complete lines received; while a password is being checked, they stay in the buffer."""
        now = time.monotonic()
        begin = 0
        while not self._is_closing and self._login is None:
            end = self._buffer.find(b"\n", begin)
            if (len(self._buffer) if end < 0 else end) - begin >= self._limits.line:
                self._refuse(Refused("line", f"a line of over {self._limits.line} bytes"))
            elif end < 0:
                break
            elif not self._allowed.take(now):
                self._refuse(Refused("line", "too many lines"))
            else:
                line = self._buffer[begin:end]
                begin = end + 1
                self._receive(line.decode("utf-8", "replace"))
        self._buffer = self._buffer[begin:]

    def _receive(self, line: str) -> None:
        guest = self.guest
        try:
            if guest.stage == LoginStage.PASSWORD:
                guest.stage = LoginStage.CHECKING
                self.arrival.is_busy = True
                self._login = self._server.tasks.start(self._log_in(line))
                return
            self._server.lobby.receive(guest, line)
            if guest.is_in and self._expiry is not None:
                self._settle()
        except Refused as error:
            self._refuse(error)

    async def _log_in(self, line: str) -> None:
        try:
            await self._server.lobby.log_in(self.guest, line)
            if self.guest.is_in and not self._is_closing:
                self._settle()
        except Refused as error:
            self._refuse(error)
        finally:
            self._login = None
            self.arrival.is_busy = False
        self._read_lines()

    def _settle(self) -> None:
        """Give a client that has logged in its own limits, and remove it from the gate."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        self._allowed = TokenBucket(self._limits.lines_at_once, self._limits.lines_a_second, time.monotonic())
        self._server.gate.leave(self.arrival)

    def _expire(self) -> None:
        if self._login is not None:
            # The client is not late, but waits for the server's answer to its login, so check again later.
            self._expiry = asyncio.get_running_loop().call_later(self._limits.login_s, self._expire)
        else:
            self._refuse(Refused("login", "nobody logged in in time"))

    def _refuse(self, error: Refused) -> None:
        if self._is_closing:
            return
        # A client that logs in too late has done nothing wrong, so it causes no fault.
        if error.command == "line" or self.guest.stage in (LoginStage.PROTOCOL, LoginStage.CHECKING):
            self._server.gate.note_fault(self.guest.network)
        self._server.lobby.note_refusal(self.guest, error.answer)
        self.guest.refuse(error.answer)

    def _send_away(self, why: str) -> None:
        self._server.lobby.metrics.add("displaced_connections")
        self.guest.refuse(why)
        if self.transport is not None:
            # Do not wait until the client has read the line, because there are many connections like this one.
            self.transport.abort()
        elif self.opening is not None:
            self.opening.cancel()

    def say(self, line: str) -> None:
        """Queue a line. Each turn of the event loop sends its lines together."""
        if self._is_closing or self.transport is None:
            return
        if not self._out:
            asyncio.get_running_loop().call_soon(self._flush)
        self._out.append(line)

    def _flush(self) -> None:
        lines, self._out = self._out, []
        if not lines or self.transport is None or self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size() > self._limits.waiting:
            # A client that does not read would fill the memory, so disconnect it.
            self.transport.abort()
            return
        self.transport.write(("\n".join(lines) + "\n").encode())

    def hang_up(self) -> None:
        """Close the connection after sending its last lines, without waiting long for a client that does not read."""
        if self._is_closing:
            return
        self._is_closing = True
        if self.transport is None:
            self._server.forget(self)
            return
        self._flush()
        self.transport.close()
        asyncio.get_running_loop().call_later(self._limits.leave_s, self.transport.abort)

    def cut(self) -> None:
        """Close the connection at once."""
        self._is_closing = True
        if self.transport is not None:
            self.transport.abort()


class LineServer:
    """The open ports of a lobby. Players are paired every `pair_s` seconds."""

    def __init__(
        self, lobby: Lobby, log: Callable[[str], None], limits: ConnectionLimits | None = None, *, pair_s: float = 5.0
    ) -> None:
        self.port = 0
        self.lobby = lobby
        self.limits = limits or ConnectionLimits()
        self.gate = Gate(self.limits, lobby.entrance.is_banned)
        self.connections: set[Connection] = set()
        self.tasks = BackgroundTasks(lambda error: log(str(error)), OSError)
        self._log = log
        self._pair_s = pair_s
        self._listening: list[socket.socket] = []
        self._running: list[asyncio.Task[None]] = []
        # Refused connections. Their input is never read, so closing the socket resets it and leaves nothing behind.
        self._unheard = Tarpit[socket.socket](self.limits.unheard_s, self.limits.unheard, socket.socket.close)
        lobby.metrics.gauges |= {
            "half_open_connections": lambda: self.gate.half_open,
            "connections": lambda: len(self.connections),
            "unheard_connections": lambda: len(self._unheard),
        }

    async def open(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen on a port and return its number; may be called for several ports. Raises OSError if that fails."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        number = port
        for family, kind, protocol, _, address in dict.fromkeys(found):
            listening = socket.socket(family, kind, protocol)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                listening.bind((address[0], number, *address[2:]))
            except OSError as error:
                listening.close()
                raise OSError(error.errno, f"{host}:{port}: {error.strerror}") from error
            listening.listen(_BACKLOG)
            listening.setblocking(False)
            number = listening.getsockname()[1]
            self._listening.append(listening)
            self._running.append(asyncio.create_task(self._accept(listening, tls)))
        if not self.port:
            self.port = number
            work = ((self._pair_s, self.lobby.pair), (_UNHEARD_S, lambda: self._unheard.release(time.monotonic())))
            self._running += [asyncio.create_task(every(seconds, do)) for seconds, do in work]
        return number

    async def wait(self) -> None:
        """Wait until a background task fails, and raise its error."""
        for done in asyncio.as_completed(self._running):
            await done

    async def close(self) -> None:
        """Close all connections; the games are kept."""
        self.lobby.close()
        for task in self._running:
            task.cancel()
        for listening in self._listening:
            listening.close()
        self._unheard.release(inf)
        for connection in list(self.connections):
            connection.cut()
        await self.tasks.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        while self.connections:
            await asyncio.sleep(0)

    def forget(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self.gate.leave(connection.arrival)

    async def _accept(self, listening: socket.socket, tls: ssl.SSLContext | None) -> None:
        """Accept connections at a limited rate, so that a flood of them does not delay games."""
        loop = asyncio.get_running_loop()
        pause_s = 1 / self.limits.arrivals_a_second
        next_s = time.monotonic()
        while True:
            try:
                arrived, peer = await loop.sock_accept(listening)
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    self._unheard.release(inf)
                    self._log(f"no room for another connection: {error.strerror}")
                    await asyncio.sleep(_NO_ROOM_S)
                continue
            address = plain_address(str(peer[0])) if peer else "?"
            is_heard = self._admit(arrived, address, tls)
            next_s += pause_s if is_heard else pause_s * _REFUSAL_COST
            # Accept only a few at once, so that moves are handled in between.
            next_s = max(next_s, time.monotonic() - _BURST_S)
            await asyncio.sleep(max(0.0, next_s - time.monotonic()))

    def _admit(self, arrived: socket.socket, address: str, tls: ssl.SSLContext | None) -> bool:
        """Accept a connection and return True, or leave it open without reading from it and return False."""
        if self.gate.refuses(address):
            self.lobby.metrics.add("refused_connections")
            self._unheard.add(arrived, time.monotonic())
            return False
        connection = Connection(self, address)
        connection.opening = self.tasks.start(self._connect(connection, arrived, tls))
        connection.opening.add_done_callback(lambda done: self._expect_open(connection, arrived))
        self.connections.add(connection)
        self.gate.enter(connection.arrival)
        return True

    def _expect_open(self, connection: Connection, arrived: socket.socket) -> None:
        """If a connection could not be opened, close its socket and forget it."""
        connection.opening = None
        if connection.transport is None:
            arrived.close()
            self.forget(connection)

    async def _connect(self, connection: Connection, arrived: socket.socket, tls: ssl.SSLContext | None) -> None:
        arrived.setblocking(False)
        _keep_alive(arrived)
        handshake_s = _HANDSHAKE_S if tls is not None else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection, arrived, ssl=tls, ssl_handshake_timeout=handshake_s
            )
        except OSError:
            self.gate.note_fault(connection.guest.network)


def _keep_alive(arrived: socket.socket) -> None:
    with suppress(OSError):
        arrived.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                arrived.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def every(seconds: float, do: Callable[[], None]) -> None:
    """Call a function again and again, first after `seconds`."""
    while True:
        await asyncio.sleep(seconds)
        do()
