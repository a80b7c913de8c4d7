"""A proxy before the server: of those that are named it is believed who comes, and of nobody else."""

import asyncio
import socket
import ssl
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from gtp_variants.connections.proxy_protocol import receive_source
from gtp_variants.server.access.machine import Certificate
from gtp_variants.server.lobby import Lobby, LobbySettings
from gtp_variants.server.sockets import LineServer
from gtp_variants.server.store import ServerStore
from tests.server.servers import PATIENCE_S, Client, run, serving
from tests.server.test_public import make_certificate

pytest.importorskip("uvicorn", reason="pages need starlette and uvicorn: pip install 'gtp-variants[web]'")
pytest.importorskip("httpx", reason="the pages are asked for by httpx: pip install 'gtp-variants[kgs]'")

import httpx

from gtp_variants.server.site.application import SitePort

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
V4 = bytes([203, 0, 113, 7, 127, 0, 0, 1]) + struct.pack("!HH", 4000, 6867)
V6 = bytes(15) + b"\x07" + bytes(15) + b"\x01" + struct.pack("!HH", 4000, 6867)


def binary(command: int, family: int, rest: bytes) -> bytes:
    return SIGNATURE + struct.pack("!BBH", command, family, len(rest)) + rest


async def source_of(data: bytes, *, is_over: bool = False) -> tuple[str, bytes]:
    """What is read of some bytes, and those that are left."""
    here, there = socket.socketpair()
    with here, there:
        there.setblocking(False)
        here.sendall(data)
        if is_over:
            here.shutdown(socket.SHUT_WR)
        found = await receive_source(there)
        return found, there.recv(100) if len(data) else b""


@pytest.mark.parametrize(
    ("head", "address"),
    [
        (b"PROXY TCP4 203.0.113.7 127.0.0.1 4000 6867\r\n", "203.0.113.7"),
        (b"PROXY TCP6 2001:db8::7 ::1 4000 6867\r\n", "2001:db8::7"),
        (b"PROXY UNKNOWN\r\n", ""),
        (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", ""),
        (binary(0x21, 0x11, V4), "203.0.113.7"),
        (binary(0x21, 0x21, V6), "::7"),
        (binary(0x21, 0x11, V4 + b"\x04\x00\x01x"), "203.0.113.7"),
        (binary(0x20, 0x00, b""), ""),
        (binary(0x21, 0x31, bytes(216)), ""),
    ],
)
def test_a_header_says_for_whom_it_is_and_nothing_after_it_is_read(head: bytes, address: str) -> None:
    async def test() -> None:
        assert await source_of(head + b"e1 test/1\n") == (address, b"e1 test/1\n")

    run(test())


@pytest.mark.parametrize(
    "head",
    [
        b"e1 test/1 variants=go\nalpha\n",
        b"PROXY " + b"x" * 200,
        b"PROXY TCP4 203.0.113.7 127.0.0.1 4000\r\n",
        b"PROXY TCP4 nobody 127.0.0.1 4000 6867\r\n",
        b"PROXY TCP4 203.0.113.7\xff 127.0.0.1 4000 6867\r\n",
        b"PROXY           \r\n",
        b"PROXY TCP9 203.0.113.7 127.0.0.1 4000 6867\r\n",
        binary(0x21, 0x11, V4[:8]),
        binary(0x21, 0x21, V4),
        binary(0x31, 0x11, V4),
        SIGNATURE + struct.pack("!BBH", 0x21, 0x11, 65535) + bytes(65535),
        SIGNATURE,
        b"PROXY TCP4 203.0",
        b"",
    ],
)
def test_what_is_no_header_is_refused(head: bytes) -> None:
    async def test() -> None:
        with pytest.raises((ValueError, ConnectionResetError)):
            await source_of(head, is_over=True)

    run(test())


class Behind:
    """A server behind a proxy on 127.0.0.1."""

    def __init__(self, folder: Path, proxies: tuple[str, ...] = ("127.0.0.1",)) -> None:
        self.log: list[str] = []
        self._store = ServerStore(folder / "server.sqlite3")
        self.lobby = Lobby(LobbySettings(("go:size=5",)), self._store, folder, self.log.append)
        self.listener = LineServer(self.lobby, self.log.append, proxies=proxies)

    async def __aenter__(self) -> "Behind":
        await self.listener.open("127.0.0.1", 0)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.listener.close()
        self._store.close()

    async def come_from(self, address: str, name: str) -> Client:
        client = await Client(name).connect(self.listener.port)
        client.send(f"PROXY TCP4 {address} 127.0.0.1 4000 6867\r\n".encode())
        return client


def test_whom_a_proxy_names_is_known_by_that_address(tmp_path: Path) -> None:
    async def test() -> None:
        async with Behind(tmp_path) as server:
            alpha = await server.come_from("203.0.113.7", "alpha")
            assert await alpha.read() == "protocol variants"
            for word, answer in (("e1 test/1", "username"), ("alpha", "password")):
                alpha.type(word)
                assert await alpha.read() == answer
            alpha.type("secret")
            server.lobby.bans.add("203.0.113.9", 3600.0)
            # Who is banned is heard no more, whoever else comes through the same proxy.
            banned = await server.come_from("203.0.113.9", "bravo")
            other = await server.come_from("203.0.113.8", "carol")
            assert await other.read() == "protocol variants"
            assert "refused_connections_total 1\n" in server.lobby.metrics.write()
            assert any("alpha" in line and "from 203.0.113.7" in line for line in server.log)
            banned.cut()

    run(test())


def test_who_comes_from_a_proxy_without_a_word_of_it_is_not_let_in(tmp_path: Path) -> None:
    async def test() -> None:
        async with Behind(tmp_path) as server:
            late = await Client("alpha").connect(server.listener.port)
            late.type("e1 test/1 variants=go")
            # What was sent is not read, so that the line is reset.
            with suppress(ConnectionResetError):
                assert await late.read() == ""
            assert any("refused 127.0.0.1 -: expected a header" in line for line in server.log)
            late.cut()
            # Whoever says nothing is not waited for at the end.
            await Client("bravo").connect(server.listener.port)

    run(test())


def test_nobody_else_is_believed(tmp_path: Path) -> None:
    async def test() -> None:
        async with Behind(tmp_path, ("203.0.113.1",)) as server:
            liar = await server.come_from("203.0.113.7", "alpha")
            assert await liar.read() == "protocol variants"
            assert (await liar.read()).startswith("Error: invalid response")
            assert not any("203.0.113.7" in line for line in server.log)

    run(test())


def test_the_header_stands_before_the_encryption(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)

    async def test() -> None:
        async with Behind(tmp_path) as server:
            port = await server.listener.open("127.0.0.1", 0, Certificate(cert, key).context)
            line = socket.create_connection(("127.0.0.1", port))
            line.sendall(binary(0x21, 0x11, V4))
            context = ssl.create_default_context(cafile=cert)
            context.check_hostname = False
            async with asyncio.timeout(PATIENCE_S):
                reader, writer = await asyncio.open_connection(sock=line, ssl=context, server_hostname="localhost")
                assert await reader.readline() == b"protocol variants\n"
                writer.write(b"nonsense\n")
                assert (await reader.readline()).startswith(b"Error: invalid response")
            writer.close()
            assert any("refused 203.0.113.7" in entry for entry in server.log)

    run(test())


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
def test_a_header_of_the_pages_is_believed_of_a_proxy_alone(tmp_path: Path, proxies: tuple[str, ...]) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            gate = server.listener.gate
            site = SitePort(server.lobby, tmp_path, gate, "127.0.0.1", 0, proxies=proxies)
            server.lobby.bans.add("203.0.113.9", 3600.0)
            try:
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}", timeout=PATIENCE_S) as page:
                    # Whatever somebody wrote there themselves stands before what the proxy adds.
                    said = {"X-Forwarded-For": "192.0.2.1, 203.0.113.9"}
                    assert (await page.get("/play", headers=said)).status_code == (403 if proxies else 200)
                    assert (await page.get("/play", headers={"X-Forwarded-For": "203.0.113.8"})).status_code == 200
                    # A proxy keeps lines open for many: they are not one address's that make room for each other.
                    assert gate.half_open == (0 if proxies else 1)
            finally:
                await site.close()

    run(test())
