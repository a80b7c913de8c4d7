"""Logins, with new accounts, and bans on names and addresses."""

import asyncio
import ipaddress
import re
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from gtp_variants.base.connection_gate import TokenBuckets, network_of, plain_address
from gtp_variants.errors import Refused
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.access.accounts import GUESTS, RESERVED, Account, check_password, fits, hash_password, is_name
from gtp_variants.site.access.passwords import KEYED, HashQueue, PasswordChecks, remember

T = TypeVar("T")


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
        until, why = self._bans.get(banned_as(whom), (0.0, ""))
        return why if until > time.time() else None

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
# Wrong passwords allowed for one account: at once, and per second, from all networks that were never let in to it
# together, and from each of the others.
_AT_ACCOUNT, _AT_ACCOUNT_A_SECOND = 20.0, 1 / 60
# Maximum networks that are remembered as let in, and accounts for which wrong passwords are counted.
_MOST_LET_IN, _MOST_COUNTED = 20_000, 10_000
# An owner is told of this many wrong passwords; fewer are typing errors.
_WORTH_TELLING = 3


@dataclass(slots=True)
class Guess:
    """A password that is being checked, and whether it is right, if known. A suspect is beyond one of the limits."""

    is_suspect: bool
    is_right: bool | None = None


class GuessLimits:
    """The limits on wrong passwords. A guess is charged before its check, and given back if it is right."""

    def __init__(self) -> None:
        self._networks = TokenBuckets(_GUESSES, _GUESSES_A_SECOND)
        self._accounts = TokenBuckets(_AT_ACCOUNT, _AT_ACCOUNT_A_SECOND)
        # The names and networks of the latest logins, and the number of wrong passwords since each account's last one.
        self._let_in = OrderedDict[tuple[str, str], None]()
        self._wrong = OrderedDict[str, int]()
        # The number of charged guesses of each network that are being checked, and the event that the next check ends.
        self._open, self._checked = Counter[str](), asyncio.Event()

    @asynccontextmanager
    async def charge(self, name: str, network: str, *, plays: bool) -> AsyncIterator["Guess"]:
        """Charge a guess at an account, for a check inside the context. Raises Refused beyond a limit.

        `plays`, for a player with a game in progress, admits a suspect beyond both limits. An earlier login from a
        network admits it beyond the limit of the network.
        """
        key = (name.lower(), network)
        is_known = key in self._let_in
        place = " ".join(key) if is_known else key[0]
        while not (is_charged := self._networks.allows(network, time.monotonic())) and self._open[network]:
            # Guesses that are being checked may be right and be given back, as when a crowd returns at once.
            await self._checked.wait()
        if not (is_charged or is_known or plays):
            raise Refused("login", "too many wrong passwords from your address; come back in some minutes")
        is_within = self._accounts.allows(place, time.monotonic())
        if not (is_within or plays):
            if is_charged:
                self._networks.give_back(network)
            raise Refused("login", "too many wrong passwords for this account; come back in some minutes")
        guess = Guess(is_suspect=not (is_charged and is_within))
        self._open[network] += is_charged
        try:
            yield guess
        finally:
            if guess.is_right:
                if is_within:
                    self._accounts.give_back(place)
                if is_charged:
                    self._networks.give_back(network)
                self.let_in(*key)
            elif guess.is_right is False:
                remember(self._wrong, key[0], self._wrong.get(key[0], 0) + 1, _MOST_COUNTED)
            self._open[network] -= is_charged
            self._open += Counter()  # forgets networks without guesses
            self._checked.set()
            self._checked = asyncio.Event()

    def let_in(self, name: str, network: str) -> None:
        """Note that an account was opened from a network."""
        remember(self._let_in, (name.lower(), network), None, _MOST_LET_IN)

    def take_count(self, name: str) -> int:
        """Return how many wrong passwords were given since the last call, 0 if that is not worth telling."""
        return self._wrong.pop(name.lower()) if self._wrong.get(name.lower(), 0) >= _WORTH_TELLING else 0


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
        self.guesses = GuessLimits()
        # Called with the name of an account after a wrong password.
        self.note_wrong: Callable[[str], None] = lambda name: None

    @property
    def waiting(self) -> int:
        """The number of logins waiting for a slow hash."""
        return len(self._hashes)

    async def open(self, name: str, password: str, network: str, kind: str, *, plays: bool) -> Account:
        """Return an account, created if unknown. Raises Refused if the password is wrong or the login forbidden."""
        check_password(name, password)
        account = self._store.find(name)
        if account is None:
            return await self._make(name, password, network, kind)
        async with self.guesses.charge(account.name, network, plays=plays) as guess:
            guess.is_right = await self._knows(account, password, is_suspect=guess.is_suspect)
        if not guess.is_right:
            self.note_wrong(account.name)
            await asyncio.sleep(_WRONG_S)
            raise Refused("login", "Sorry, password doesn't match")
        # Read the account again: during the check it may have been deleted, or its password changed.
        checked, account = account, self._store.find(name)
        if account is None or account.password != checked.password:
            raise Refused("login", "Sorry, the account has just been changed")
        if account.password.startswith(KEYED):
            account = await self._rehash(account, password) or account
        else:
            self._checks.remember(account.name, account.password, password)
        return account

    async def change_password(self, account: Account, password: str) -> None:
        """Change the password of an account as it was opened. Raises Refused if it is invalid or came too late."""
        check_password(account.name, password)
        if await self._rehash(account, password) is None:
            raise Refused("login", "the password has just been changed elsewhere; sign in with that one")

    async def _rehash(self, account: Account, password: str) -> Account | None:
        """Store a password with a slow hash. Return None if the account has another password meanwhile."""
        kept = await self._hashes.run(partial(hash_password, password))
        if not self._keep(lambda: self._store.change_password(account, kept)):
            return None
        self._checks.remember(account.name, kept, password)
        return replace(account, password=kept)

    async def _knows(self, account: Account, password: str, *, is_suspect: bool) -> bool:
        known = self._checks.recognise(account.name, account.password, password)
        if known is not None:
            return known
        return await self._hashes.run(partial(fits, account.password, password), is_suspect=is_suspect)

    async def _make(self, name: str, password: str, network: str, kind: str) -> Account:
        if re.match("guests?(?![a-z0-9])", name.lower()):
            raise Refused("login", f"user name: names that begin with {GUESTS} are for guests")
        if re.sub("[_.-]", "", name.lower()) in RESERVED:
            raise Refused("login", f"user name: {name} is no player's name; choose another")
        if not self._is_open:
            raise Refused("login", "no account has this user name; only the operator creates accounts")
        if not self._newcomers.allows(network, time.monotonic()):
            raise Refused("login", "too many new accounts from your address; come back in an hour")
        hashed = await self._hashes.run(partial(hash_password, password))
        if self._store.find(name) is not None:
            # Somebody has taken the name meanwhile, so log in to that account.
            return await self.open(name, password, network, kind, plays=False)
        account = Account(name, hashed, kind)
        self._keep(lambda: self._store.write(account))
        self._log(f"{name}: a new account, from {network}")
        self.guesses.let_in(name, network)
        self._checks.remember(name, hashed, password)
        return account

    def _keep(self, write: Callable[[], T]) -> T:
        try:
            return write()
        except OSError as error:
            self._log(str(error))
            raise Refused("login", "the server cannot write; come back later") from None

    def close(self) -> None:
        self._hashes.close()
