"""Names and addresses that are not let in, until a time."""

import ipaddress
import time

from gtp_variants.connections.gate import network_of, plain_address
from gtp_variants.errors import Refused
from gtp_variants.server.access.accounts import is_name
from gtp_variants.server.store import ServerStore


class Bans:
    """The bans of a store, at hand for every connection."""

    def __init__(self, store: ServerStore) -> None:
        """The bans that a store holds now. Raises OSError."""
        self._store = store
        self._bans: dict[str, tuple[float, str]] = {}
        for kept, (until, why) in store.bans().items():
            whom = banned_as(kept)
            if whom != kept:
                # Older versions kept an address as somebody wrote it.
                store.write_ban(kept, 0.0, "")
            # Several of them may be one network now: the longest holds.
            self._bans[whom] = max(self._bans.get(whom, (0.0, "")), (until, why))
            if whom != kept or self._bans[whom] != (until, why):
                store.write_ban(whom, *self._bans[whom])

    def why(self, whom: str) -> str | None:
        """Why a name or an address is not let in, "" for no reason; None if it is let in."""
        ban = self._bans.get(banned_as(whom))
        if ban is None or ban[0] <= time.time():
            return None
        return ban[1]

    def add(self, whom: str, seconds: float, why: str = "") -> str:
        """Let a name or an address in no more for so long; 0 lifts a ban. What is banned now, see `banned_as`.

        Raises OSError, and Refused for what nobody is known by, such as other networks.
        """
        banned = banned_as(whom)
        if seconds and not (is_name(banned) or _is_place(banned)):
            raise Refused("ban", f"{whom}: expected a name, an address, or a network of IPv6 such as 2001:db8::/64")
        until = time.time() + seconds if seconds else 0.0
        self._store.write_ban(banned, until, why)
        if seconds:
            self._bans[banned] = until, why
        else:
            self._bans.pop(banned, None)
        return banned

    def items(self) -> list[tuple[str, float, str]]:
        """Who is not let in, until when as time.time, and why."""
        now = time.time()
        return [(whom, until, why) for whom, (until, why) in sorted(self._bans.items()) if until > now]


def banned_as(whom: str) -> str:
    """A name in lower case, an address as logs write it, and of IPv6 its network, as whoever has one has all of it."""
    text = whom.lower()
    address, _, bits = text.partition("/")
    place = network_of(plain_address(address))
    return place if not bits or place.endswith(f"/{bits}") else text


def _is_place(banned: str) -> bool:
    address = banned.partition("/")[0]
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return False
    return banned == network_of(address)
