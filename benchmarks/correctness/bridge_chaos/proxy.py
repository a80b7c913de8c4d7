"""A proxy that cuts connections to a server."""

import asyncio
import contextlib
import random

CUT_S = 5.0, 16.0


class Proxy:
    """Forwards connections to `port`, and cuts each after 5 to 16 seconds until `is_calm`."""

    def __init__(self, port: int, rng: random.Random) -> None:
        self._to, self._rng = port, rng
        self.port, self.cuts, self.is_calm = 0, 0, False

    async def open(self) -> None:
        """Listen."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.close()
            return
        pumps = [asyncio.create_task(_pump(*ends)) for ends in ((reader, back), (there, writer))]
        timeout = None if self.is_calm else self._rng.uniform(*CUT_S)
        done, _ = await asyncio.wait(pumps, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        self.cuts += not done
        for pump in pumps:
            pump.cancel()
        for end in (writer, back):
            end.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
