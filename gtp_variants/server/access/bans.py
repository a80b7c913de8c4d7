"""Names and addresses that are not let in, until a time."""

import time

from gtp_variants.server.store import ServerStore


class Bans:
    """The bans of a store, at hand for every connection."""

    def __init__(self, store: ServerStore) -> None:
        """Raises OSError."""
        self._store = store
        self._bans = store.bans()

    def why(self, whom: str) -> str | None:
        """Why a name or an address is not let in, "" for no reason; None if it is let in."""
        ban = self._bans.get(whom.lower())
        if ban is None or ban[0] <= time.time():
            return None
        return ban[1]

    def add(self, whom: str, seconds: float, why: str = "") -> None:
        """Let a name or an address in no more for so long; 0 lifts a ban. Raises OSError."""
        until = time.time() + seconds if seconds else 0.0
        self._store.write_ban(whom, until, why)
        if seconds:
            self._bans[whom.lower()] = until, why
        else:
            self._bans.pop(whom.lower(), None)

    def items(self) -> list[tuple[str, float, str]]:
        """Who is not let in, until when as time.time, and why."""
        now = time.time()
        return [(whom, until, why) for whom, (until, why) in sorted(self._bans.items()) if until > now]
