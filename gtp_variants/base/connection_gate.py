"""Limits on connections: token buckets, a tarpit, and a gate for connections that have not logged in.

Only a few connections may wait to log in. When too many wait, the network with the most of them loses its oldest idle
connection, so a client that holds hundreds open displaces only its own. Busy connections, which still wait for an
answer from the server, are the last to be closed.
"""

import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar


class TokenBucket:
    """A limit on actions: at most `at_once` in a burst, and then `a_second` more per second.

    >>> bucket = TokenBucket(at_once=2, a_second=0.5, now_s=0)
    >>> [bucket.allows(now_s) for now_s in (0, 0, 0, 1, 2)]
    [True, True, False, False, True]
    """

    __slots__ = ("_a_second", "_at_once", "_left", "_since_s")

    def __init__(self, at_once: float, a_second: float, now_s: float) -> None:
        self._at_once, self._a_second = at_once, a_second
        self._left, self._since_s = at_once, now_s

    def allows(self, now_s: float) -> bool:
        """Return True if one more action is allowed. Only allowed actions count."""
        self._fill(now_s)
        is_allowed = self._left >= 1
        self._left -= is_allowed
        return is_allowed

    def take(self, now_s: float, amount: float = 1.0) -> bool:
        """Return True if `amount` more is allowed. Refused actions count too, so retrying at once gains nothing."""
        self._fill(now_s)
        is_allowed = self._left >= amount
        self._left = max(0.0, self._left - amount)
        return is_allowed

    def give_back(self) -> None:
        """Let one more action be allowed, in place of an allowed action that was harmless."""
        self._left = min(self._at_once, self._left + 1)

    def is_empty(self, now_s: float) -> bool:
        """Return True if not even one action is allowed now."""
        return self._left + (now_s - self._since_s) * self._a_second < 1.0

    def _fill(self, now_s: float) -> None:
        self._left = min(self._at_once, self._left + (now_s - self._since_s) * self._a_second)
        self._since_s = now_s


class TokenBuckets:
    """A token bucket for each of the `most` names used last, so that strangers cannot fill the memory."""

    def __init__(self, at_once: float, a_second: float, most: int = 10_000) -> None:
        self._at_once, self._a_second, self._most = at_once, a_second, most
        self._buckets = OrderedDict[str, TokenBucket]()

    def allows(self, name: str, now_s: float) -> bool:
        return self._bucket_of(name, now_s).allows(now_s)

    def take(self, name: str, now_s: float) -> bool:
        return self._bucket_of(name, now_s).take(now_s)

    def give_back(self, name: str) -> None:
        if name in self._buckets:
            self._buckets[name].give_back()

    def is_empty(self, name: str, now_s: float) -> bool:
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
    """The limits on the connections of a server."""

    line: int = 16_384  # bytes in a line
    lines_a_second: float = 50.0  # lines per second on average
    lines_at_once: float = 200.0  # lines in a burst
    half_open: int = 256  # connections that have not logged in
    arrivals_a_second: float = 500.0  # new connections per second
    login_s: float = 30.0  # time to log in
    waiting: int = 4 * 2**20  # bytes that may wait for a slow reader
    leave_s: float = 10.0  # time for a leaving client to receive its last lines
    faults_at_once: float = 100.0  # faults of an address before it is shut out
    faults_a_second: float = 1.0  # faults forgiven per second
    unheard_s: float = 10.0  # time before a connection from an address that is shut out is closed
    unheard: int = 1000  # connections from such addresses that may wait


@dataclass(eq=False, slots=True)
class Arrival:
    """A connection that has not logged in. `is_busy` is True while it is waiting for an answer from the server."""

    network: str
    send_away: Callable[[str], None]
    is_busy: bool = False


class Tarpit(Generic[T]):
    """Holds refused connections for `seconds` before it lets them go, or for less if more than `most` wait.

    A client that is refused at once tries again at once. A client kept waiting tries seldom, and costs nothing
    meanwhile.
    """

    def __init__(self, seconds: float, most: int, let_go: Callable[[T], None]) -> None:
        self._seconds, self._most, self._let_go = seconds, most, let_go
        self._waiting: deque[tuple[float, T]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, each: T, now_s: float) -> None:
        self._waiting.append((now_s + self._seconds, each))
        while len(self._waiting) > self._most:
            self._let_go(self._waiting.popleft()[1])

    def release(self, now_s: float) -> None:
        while self._waiting and self._waiting[0][0] <= now_s:
            self._let_go(self._waiting.popleft()[1])


class Gate:
    """Admits connections according to the network they come from. `is_banned` returns True for a banned address."""

    def __init__(self, limits: ConnectionLimits, is_banned: Callable[[str], bool] = lambda address: False) -> None:
        self._limits = limits
        self.is_banned = is_banned
        self._faults = TokenBuckets(limits.faults_at_once, limits.faults_a_second)
        self._arrivals: dict[str, dict[Arrival, None]] = {}
        self.half_open = 0

    def refuses(self, address: str) -> bool:
        """Return True if an address is banned or, unless it is local, if its network made too many faults lately."""
        if self.is_banned(address):
            return True
        return not is_here(address) and self._faults.is_empty(network_of(address), time.monotonic())

    def note_fault(self, network: str) -> None:
        """Count a fault against a network: a line that no working client would send."""
        self._faults.take(network, time.monotonic())

    def enter(self, arrival: Arrival) -> None:
        """Admit a connection that has not logged in. If there are now too many connections, close one."""
        self._arrivals.setdefault(arrival.network, {})[arrival] = None
        self.half_open += 1
        if self.half_open > self._limits.half_open:
            displaced = self._choose_who_leaves(arrival)
            self.leave(displaced)
            displaced.send_away("too many connections; come back later")

    def _choose_who_leaves(self, arrival: Arrival) -> Arrival:
        crowds = sorted(self._arrivals.values(), key=len, reverse=True)
        largest = crowds[0]
        # If one network has more than half of the allowed connections, close one of its connections.
        asked = crowds[:1] if 2 * len(largest) > self._limits.half_open else crowds
        idle = next((each for crowd in asked for each in crowd if not each.is_busy), None)
        if idle is not None:
            return idle
        # If all are busy, as can happen on a school network, close the newest, because it has waited least.
        return next(reversed(largest)) if len(largest) > len(self._arrivals[arrival.network]) else arrival

    def leave(self, arrival: Arrival) -> None:
        """Remove a connection that has logged in or has closed."""
        crowd = self._arrivals.get(arrival.network, {})
        if arrival in crowd:
            del crowd[arrival]
            self.half_open -= 1
            if not crowd:
                del self._arrivals[arrival.network]


def network_of(address: str) -> str:
    """Return the network of an address: for IPv6 its /64, which has a single owner. Other texts are unchanged."""
    if ":" not in address:
        return address
    try:
        read = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(ipaddress.IPv6Network((read, 64), strict=False))


def plain_address(text: str) -> str:
    """Return an address in the form that logs use: without a zone, and as IPv4 if it is a mapped IPv4 address."""
    if ":" not in text:
        return text
    try:
        address = ipaddress.IPv6Address(text.partition("%")[0])
    except ValueError:
        return text
    return str(address.ipv4_mapped or address)


def is_here(address: str) -> bool:
    """Return True for this computer's loopback addresses, which all clients behind a local proxy have."""
    return address in ("127.0.0.1", "::1")
