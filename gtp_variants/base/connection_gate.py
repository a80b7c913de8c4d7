"""Who may connect: bans, faults of an address, and room for those who have not logged in yet.

Connections that have not logged in are few, and the oldest of the network with most of them makes room for a new one:
who holds hundreds open only displaces their own. One that the server has to answer makes no room for others of its
network, and for those of a smaller one only where all of its network are such.

Token buckets: how often somebody may do something, many times at once and fewer in the long run.
"""

import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar


class TokenBucket:
    """A token bucket: somebody may do `at_once` things, and `a_second` more each second.

    >>> bucket = TokenBucket(at_once=2, a_second=0.5, now_s=0)
    >>> [bucket.allows(now_s) for now_s in (0, 0, 0, 1, 2)]
    [True, True, False, False, True]
    """

    __slots__ = ("_a_second", "_at_once", "_left", "_since_s")

    def __init__(self, at_once: float, a_second: float, now_s: float) -> None:
        self._at_once, self._a_second = at_once, a_second
        self._left, self._since_s = at_once, now_s

    def allows(self, now_s: float) -> bool:
        """Whether one more is allowed, which then counts; what is refused does not."""
        self._fill(now_s)
        is_allowed = self._left >= 1
        self._left -= is_allowed
        return is_allowed

    def take(self, now_s: float, amount: float = 1.0) -> bool:
        """Whether so much more is allowed; it counts either way, so that who goes on at once is allowed nothing."""
        self._fill(now_s)
        is_allowed = self._left >= amount
        self._left = max(0.0, self._left - amount)
        return is_allowed

    def is_empty(self, now_s: float) -> bool:
        """Whether nothing more is allowed now."""
        return self._left + (now_s - self._since_s) * self._a_second < 1.0

    def _fill(self, now_s: float) -> None:
        self._left = min(self._at_once, self._left + (now_s - self._since_s) * self._a_second)
        self._since_s = now_s


class TokenBuckets:
    """A token bucket for each of the last `most` who did something, so that strangers cannot fill the memory."""

    def __init__(self, at_once: float, a_second: float, most: int = 10_000) -> None:
        self._at_once, self._a_second, self._most = at_once, a_second, most
        self._buckets = OrderedDict[str, TokenBucket]()

    def allows(self, name: str, now_s: float) -> bool:
        """Whether one more of whoever is called so is allowed, which then counts; what is refused does not."""
        return self._bucket_of(name, now_s).allows(now_s)

    def take(self, name: str, now_s: float) -> bool:
        """Whether one more of whoever is called so is allowed; it counts either way."""
        return self._bucket_of(name, now_s).take(now_s)

    def is_empty(self, name: str, now_s: float) -> bool:
        """Whether nothing more of whoever is called so is allowed now."""
        bucket = self._buckets.get(name)
        return bucket is not None and bucket.is_empty(now_s)

    def _bucket_of(self, name: str, now_s: float) -> TokenBucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = TokenBucket(self._at_once, self._a_second, now_s)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(name)
        return bucket


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What a connection may do.

    Bytes in a line; lines a second, on average and at once; connections that have not logged in; those taken in a
    second; seconds until one has logged in; bytes that may wait for one who does not read; seconds to take in the last
    words; faults of an address at once, and how many are forgiven a second: more, and it is let in no more for a while;
    seconds that a connection from there waits unheard before it is closed, and how many may.
    """

    line: int = 16_384
    lines_a_second: float = 50.0
    lines_at_once: float = 200.0
    half_open: int = 256
    arrivals_a_second: float = 500.0
    login_s: float = 30.0
    waiting: int = 4 * 2**20
    leave_s: float = 10.0
    faults_at_once: float = 100.0
    faults_a_second: float = 1.0
    unheard_s: float = 10.0
    unheard: int = 1000


@dataclass(eq=False, slots=True)
class Arrival:
    """A connection that has not logged in. With `is_busy` the server has to answer it, and others make room first."""

    network: str
    send_away: Callable[[str], None]
    is_busy: bool = False


class Tarpit(Generic[T]):
    """Holds what was refused for so many seconds, or until too many wait, before it lets it go.

    Who comes back as soon as they are sent away comes seldom when they are not sent away; what waits costs nothing.
    """

    def __init__(self, seconds: float, most: int, let_go: Callable[[T], None]) -> None:
        self._seconds, self._most, self._let_go = seconds, most, let_go
        self._waiting: deque[tuple[float, T]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, each: T, now_s: float) -> None:
        """One more waits."""
        self._waiting.append((now_s + self._seconds, each))
        while len(self._waiting) > self._most:
            self._let_go(self._waiting.popleft()[1])

    def release(self, now_s: float) -> None:
        """Let those go who have waited long enough."""
        while self._waiting and self._waiting[0][0] <= now_s:
            self._let_go(self._waiting.popleft()[1])


class Gate:
    """Lets connections in, by the network they come from. `is_banned` is asked with the address."""

    def __init__(self, limits: ConnectionLimits, is_banned: Callable[[str], bool] = lambda address: False) -> None:
        self._limits = limits
        self._is_banned = is_banned
        self._faults = TokenBuckets(limits.faults_at_once, limits.faults_a_second)
        self._arrivals: dict[str, dict[Arrival, None]] = {}
        self.half_open = 0

    def refuses(self, address: str) -> bool:
        """Whether nothing that comes from there is answered now."""
        if self._is_banned(address):
            return True
        return not is_here(address) and self._faults.is_empty(network_of(address), time.monotonic())

    def note_fault(self, network: str) -> None:
        """Something came from there that no client says which works."""
        self._faults.take(network, time.monotonic())

    def enter(self, arrival: Arrival) -> None:
        """One more that has not logged in; another one may have to make room."""
        self._arrivals.setdefault(arrival.network, {})[arrival] = None
        self.half_open += 1
        if self.half_open > self._limits.half_open:
            displaced = self._choose_who_leaves(arrival)
            self.leave(displaced)
            displaced.send_away("too many connections; come back later")

    def _choose_who_leaves(self, arrival: Arrival) -> Arrival:
        crowds = sorted(self._arrivals.values(), key=len, reverse=True)
        largest = crowds[0]
        # Nobody else makes room for a network that holds more than half of it.
        asked = crowds[:1] if 2 * len(largest) > self._limits.half_open else crowds
        idle = next((each for crowd in asked for each in crowd if not each.is_busy), None)
        if idle is not None:
            return idle
        # Of a crowd that is answered throughout, such as a school's, the latest has waited least.
        return next(reversed(largest)) if len(largest) > len(self._arrivals[arrival.network]) else arrival

    def leave(self, arrival: Arrival) -> None:
        """It has logged in, or is gone."""
        crowd = self._arrivals.get(arrival.network, {})
        if arrival in crowd:
            del crowd[arrival]
            self.half_open -= 1
            if not crowd:
                del self._arrivals[arrival.network]


def network_of(address: str) -> str:
    """The network that stands for an address: of IPv6 its /64, whose owner has all of it; any other text as it is."""
    if ":" not in address:
        return address
    try:
        read = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(ipaddress.IPv6Network((read, 64), strict=False))


def plain_address(text: str) -> str:
    """An address as it is written in logs: without a zone, IPv4 as such."""
    if ":" not in text:
        return text
    try:
        address = ipaddress.IPv6Address(text.partition("%")[0])
    except ValueError:
        return text
    return str(address.ipv4_mapped or address)


def is_here(address: str) -> bool:
    """Whether it is this computer's own: behind a proxy of one's own everybody comes from there."""
    return address in ("127.0.0.1", "::1")
