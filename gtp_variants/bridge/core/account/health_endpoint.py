"""An HTTP endpoint on 127.0.0.1 for monitoring: `/health` as JSON, `/metrics` for Prometheus."""

import asyncio
import json
import time
from typing import TYPE_CHECKING

from gtp_variants._version import __version__

if TYPE_CHECKING:
    from gtp_variants.bridge.core.account.session import AccountSession

_LIMIT_S = 5.0
_LONGEST = 4096


class HealthPage:
    """Answers on 127.0.0.1 only."""

    def __init__(self, session: "AccountSession") -> None:
        self._session = session
        self._began = time.monotonic()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self, port: int) -> None:
        """Begin to answer; port 0 takes any. Raises OSError."""
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", port, limit=_LONGEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_LIMIT_S):
                words = (await reader.readline()).decode("ascii", "replace").split()
                path = words[1].partition("?")[0] if len(words) > 1 and words[0] == "GET" else ""
                while (await reader.readline()).strip():
                    pass
                status, kind, text = self._page(path)
                head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(text.encode())}\r\n"
                writer.write(f"{head}Connection: close\r\n\r\n{text}".encode())
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            pass
        finally:
            writer.close()

    def _page(self, path: str) -> tuple[str, str, str]:
        if path == "/health":
            state = self._session.counters.state
            status = "200 OK" if state in ("online", "stopping") else "503 Service Unavailable"
            return status, "application/json", self._health()
        if path == "/metrics":
            return "200 OK", "text/plain; version=0.0.4", self._metrics()
        return "404 Not Found", "text/plain", "/health and /metrics are here\n"

    def _health(self) -> str:
        counters = self._session.counters
        facts = {
            "state": counters.state,
            "version": __version__,
            "up_s": round(time.monotonic() - self._began),
            "playing": [
                {"opponent": game.state.opponent, "moves": len(game.state.moves)}
                for game in self._session.games.values()
            ],
            "games": counters.games,
        }
        return json.dumps(facts) + "\n"

    def _metrics(self) -> str:
        counters = self._session.counters
        numbers = {
            "online": int(counters.state in ("online", "stopping")),
            "playing": len(self._session.games),
            "logins_total": counters.logins,
            "lost_lines_total": counters.lost_lines,
            "games_total": counters.games,
            "moves_total": counters.moves,
            "challenges_refused_total": counters.challenges_refused,
            "engine_failures_total": counters.engine_failures,
            **{f'results_total{{result="{kind}"}}': count for kind, count in sorted(counters.results.items())},
        }
        return "".join(f"gtp_variants_bridge_{name} {number}\n" for name, number in numbers.items())
