"""An ASGI application that listens on 127.0.0.1 inside the loop of a test, and whose connections can be broken."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette


class WebListener:
    """Listens at `port`, the same again after `close`; 0 is any free one."""

    def __init__(self, application: Starlette, ws: Any = "none", address: str = "127.0.0.1", port: int = 0) -> None:
        self._application, self._ws, self.address, self.port = application, ws, address, port
        self._uvicorn: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Listen. Raises OSError where the port cannot be had."""
        config = uvicorn.Config(
            self._application,
            log_config=None,
            ws=self._ws,
            lifespan="off",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=300,
        )
        self._uvicorn = uvicorn.Server(config)
        # A test's own signals stay its own.
        self._uvicorn.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        # asyncio sends small pieces at once only on a socket that says it is TCP.
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((self.address, self.port))
        except OSError:
            listening.close()
            raise
        self.port = listening.getsockname()[1]
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))
        while not self._uvicorn.started:
            await asyncio.sleep(0.005)

    async def close(self) -> None:
        """Break all connections and listen no more."""
        self.abort(lambda port: True)
        if self._uvicorn is not None and self._task is not None:
            self._uvicorn.should_exit = True
            await self._task

    def abort(self, is_meant: Callable[[int], bool]) -> None:
        """Break the connections of the clients with these ports."""
        assert self._uvicorn is not None
        for connection in list(self._uvicorn.server_state.connections):
            transport = connection.transport
            port = transport.get_extra_info("peername")[1] if transport is not None else 0
            if transport is not None and is_meant(port):
                transport.abort()
