"""Shared parts of the test servers: accounts, presence, sent and received lines, and cuts on command.

A server listens at `port` of 127.0.0.1 and stands as long as `async with` does. `messages` counts what was exchanged;
`cut_at` says at which of them a line breaks.
"""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

C = TypeVar("C")


class FakeServer(ABC, Generic[C]):
    """The accounts of a server, and its faults. A connection is a `C`."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self.passwords = dict(passwords)
        self.online: dict[str, C] = {}
        self.said: list[tuple[str, str]] = []
        self.heard: list[tuple[str, Any]] = []
        self.port = 0
        self.messages = 0
        self.cut_at: set[int] = set()
        self.is_stalled = False

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @abstractmethod
    async def open(self) -> None:
        """Listen; at the same port again after `close`."""

    @abstractmethod
    async def close(self) -> None:
        """Go down. Accounts and games stay, as in a real one's database."""


@dataclass(eq=False)
class LineClient:
    """A connection of lines: where it stands in its login or game."""

    writer: asyncio.StreamWriter
    end: str
    state: str
    name: str = ""

    def send(self, line: str) -> None:
        with contextlib.suppress(OSError):
            self.writer.write((line + self.end).encode())


class LineServer(FakeServer[LineClient]):
    """A server that speaks in lines over TCP."""

    line_end: ClassVar[str] = "\n"
    first_state: ClassVar[str]

    def __init__(self, passwords: Mapping[str, str]) -> None:
        super().__init__(passwords)
        self.clients: set[LineClient] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        for client in list(self.clients):
            self.cut(client)
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def cut(self, client: LineClient) -> None:
        """The line breaks."""
        self.clients.discard(client)
        if client.writer.transport is not None:
            client.writer.transport.abort()
        self._leave(client)

    def dismiss(self, client: LineClient) -> None:
        """Close the line after what was said."""
        self.clients.discard(client)
        self._leave(client)
        client.writer.close()

    def _leave(self, client: LineClient) -> None:
        """Somebody is not there any more."""
        if self.online.get(client.name) is client:
            del self.online[client.name]

    def say(self, client: LineClient, *lines: str) -> None:
        for line in lines:
            self.said.append((client.name, line))
            client.send(line)
            self._count(client)

    def _count(self, client: LineClient) -> None:
        self.messages += 1
        if self.messages in self.cut_at:
            self._cut_by_count(client)

    def _cut_by_count(self, client: LineClient) -> None:
        # Not while somebody goes through all who are there.
        asyncio.get_running_loop().call_soon(self.cut, client)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = LineClient(writer, self.line_end, self.first_state)
        self.clients.add(client)
        self._greet(client)
        try:
            while client in self.clients and (line := await reader.readline()):
                text = line.decode("utf-8", "replace").strip()
                self.heard.append((client.name, text))
                if not self.is_stalled:
                    self._answer(client, text)
        except (OSError, ValueError):
            pass
        finally:
            self.dismiss(client)

    @abstractmethod
    def _greet(self, client: LineClient) -> None:
        """Somebody came."""

    @abstractmethod
    def _answer(self, client: LineClient, text: str) -> None:
        """Somebody said a line."""
