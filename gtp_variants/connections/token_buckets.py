"""Token buckets: how often somebody may do something, many times at once and fewer in the long run."""

from collections import OrderedDict


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
