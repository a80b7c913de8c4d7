"""Logins, with new accounts, and bans on names and addresses."""

import asyncio
import ipaddress
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gtp_variants.base.connection_gate import TokenBuckets, network_of, plain_address
from gtp_variants.errors import Refused
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.access.accounts import GUESTS, RESERVED, Account, check_password, fits, hash_password, is_name
from gtp_variants.site.access.passwords import KEYED, HashQueue, PasswordChecks


class Bans:
    """The bans in a store, kept in memory because every connection is checked."""

    def __init__(self, store: AccountStore) -> None:
        """Load the bans of a store. Raises OSError if the store fails."""
        self._store = store
        self._bans: dict[str, tuple[float, str]] = {}
        for kept, (until, why) in store.bans().items():
            whom = banned_as(kept)
            if whom != kept:
                # Older versions stored an address as it was typed, so replace it.
                store.write_ban(kept, 0.0, "")
            # Several stored bans may now apply to the same network: keep the longest.
            self._bans[whom] = max(self._bans.get(whom, (0.0, "")), (until, why))
            if whom != kept or self._bans[whom] != (until, why):
                store.write_ban(whom, *self._bans[whom])

    def why(self, whom: str) -> str | None:
        """Return the reason for the ban on a name or address, perhaps ""; None if there is no ban."""
        ban = self._bans.get(banned_as(whom))
        if ban is None or ban[0] <= time.time():
            return None
        return ban[1]

    def add(self, whom: str, seconds: float, why: str = "") -> str:
        """Ban `whom` for `seconds`, or unban with 0; return the stored form. Raises Refused if invalid, or OSError."""
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
        """Return each current ban: the name or address, the end (as time.time) and the reason."""
        now = time.time()
        return [(whom, until, why) for whom, (until, why) in sorted(self._bans.items()) if until > now]


def banned_as(whom: str) -> str:
    """Return the form in which a ban is stored: a lower-case name, an IPv4 address, or an IPv6 network."""
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


# Seconds by which a wrong password delays a client.
_WRONG_S = 1.0
_HOUR_S = 3600.0
# Wrong passwords allowed from one network: at once, and per second. Beyond that, slow hashes are computed only for
# players with a game in progress.
_GUESSES, _GUESSES_A_SECOND = 20.0, 0.1


class Logins:
    """Logs people and bots in by password. If `is_open`, an unknown name gets a new account."""

    def __init__(
        self,
        store: AccountStore,
        checks: PasswordChecks,
        log: Callable[[str], None],
        *,
        is_open: bool,
        new_accounts: int,
    ) -> None:
        self._store = store
        self._checks = checks
        self._hashes = HashQueue()
        self._log = log
        self._is_open = is_open
        self._newcomers = TokenBuckets(new_accounts, new_accounts / _HOUR_S)
        self._guesses = TokenBuckets(_GUESSES, _GUESSES_A_SECOND)

    @property
    def waiting(self) -> int:
        """The number of logins waiting for a slow hash."""
        return len(self._hashes)

    async def open(self, name: str, password: str, network: str, kind: str, *, plays: bool) -> Account:
        """Return an account, created if unknown. Raises Refused for a wrong password."""
        check_password(name, password)
        account = self._store.find(name)
        if account is None:
            return await self._make(name, password, network, kind)
        if not await self._knows(account, password, network, plays=plays):
            self._guesses.take(network, time.monotonic())
            await asyncio.sleep(_WRONG_S)
            raise Refused("login", "Sorry, password doesn't match")
        # Its password may have been changed meanwhile, or the account deleted.
        checked, account = account, self._store.find(name)
        if account is None or account.password != checked.password:
            raise Refused("login", "Sorry, the account has just been changed")
        if account.password.startswith(KEYED):
            await self.change_password(account, password)
        else:
            self._checks.remember(account.name, account.password, password)
        return account

    async def change_password(self, account: Account, password: str) -> None:
        """Change the password of an account. Raises Refused if it is invalid or cannot be stored."""
        check_password(account.name, password)
        kept = await self._hashes.run(partial(hash_password, password))
        changed = replace(account, password=kept)
        self._keep(changed)
        self._checks.remember(account.name, kept, password)

    async def _knows(self, account: Account, password: str, network: str, *, plays: bool) -> bool:
        known = self._checks.recognise(account.name, account.password, password)
        if known is not None:
            return known
        is_suspect = self._guesses.is_empty(network, time.monotonic())
        if is_suspect and not plays:
            raise Refused("login", "too many wrong passwords from your address; come back in some minutes")
        return await self._hashes.run(partial(fits, account.password, password), is_suspect=is_suspect)

    async def _make(self, name: str, password: str, network: str, kind: str) -> Account:
        if name.lower().startswith(GUESTS):
            raise Refused("login", f"user name: names that begin with {GUESTS} are for guests")
        if name.lower() in RESERVED:
            raise Refused("login", f"user name: {name} is no player's name; choose another")
        if not self._is_open:
            raise Refused("login", "no account has this user name; only the operator creates accounts")
        if not self._newcomers.allows(network, time.monotonic()):
            raise Refused("login", "too many new accounts from your address; come back in an hour")
        hashed = await self._hashes.run(partial(hash_password, password))
        if self._store.find(name) is not None:
            # Somebody has taken the name meanwhile.
            return await self.open(name, password, network, kind, plays=False)
        account = Account(name, hashed, kind)
        self._keep(account)
        self._log(f"{name}: a new account, from {network}")
        self._checks.remember(name, hashed, password)
        return account

    def _keep(self, account: Account) -> None:
        try:
            self._store.write(account)
        except OSError as error:
            self._log(str(error))
            raise Refused("login", "the server cannot write; come back later") from None

    def close(self) -> None:
        self._hashes.close()
