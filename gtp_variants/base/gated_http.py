"""Connections of browsers behind a server's gate: who holds hundreds open only displaces their own."""

import asyncio
from collections.abc import Collection
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gtp_variants.base.connection_gate import Arrival, Gate, network_of, plain_address


class GatedHttp(H11Protocol):
    """A connection over HTTP; that of a WebSocket leaves the gate here, and enters it again until somebody is let in.

    While a request is answered that has come whole, the connection is busy, unless the answer waits for who reads it.

    The gate is that of its server: `behind` makes the class with it, as uvicorn makes the connections itself. What
    comes from `proxies` is many people's and makes no room: a proxy has limits of its own.
    """

    gate: Gate
    proxies: Collection[str] = ()
    _arrival: Arrival | None = None

    @classmethod
    def behind(cls, gate: Gate, proxies: Collection[str] = ()) -> type["GatedHttp"]:
        """The class of connections behind a gate, but for those from the addresses of proxies."""
        return type("GatedHttp", (cls,), {"gate": gate, "proxies": frozenset(proxies)})

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody connects, and may have to make room for others as long as they hold the line."""
        line = cast(asyncio.Transport, transport)
        super().connection_made(line)
        peer = line.get_extra_info("peername")
        address = plain_address(str(peer[0])) if peer else "?"
        if address not in self.proxies:
            self._arrival = Arrival(network_of(address), lambda why: line.abort())
            self.gate.enter(self._arrival)

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is gone, whoever closed it."""
        self._leave()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Something came, which may be the end of a request."""
        super().handle_events()
        self._note_business()

    def on_response_complete(self) -> None:
        """A request is answered."""
        super().on_response_complete()
        self._note_business()

    def pause_writing(self) -> None:
        """Much of an answer waits to be read."""
        super().pause_writing()
        self._note_business()

    def resume_writing(self) -> None:
        """Most of an answer was read."""
        super().resume_writing()
        self._note_business()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The line is a WebSocket from now on, and another protocol's."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def _note_business(self) -> None:
        if self._arrival is not None and self.cycle is not None:
            is_answered = not (self.cycle.more_body or self.cycle.response_complete)
            self._arrival.is_busy = is_answered and not self.flow.write_paused

    def _leave(self) -> None:
        if self._arrival is not None:
            self.gate.leave(self._arrival)
