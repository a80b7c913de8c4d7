"""The boards that have occurred in a game, and the ko and superko rules that forbid repeating them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from zlib import compress, decompress

Counts = dict[bytes, int]


class History:
    """Counts the occurrences of each key. A history is immutable: `add` returns a new history.

    `add` usually copies only the keys of the last `_RECENT` moves. Older keys are in layers that a game's positions
    share, each over twice as large as the next layer. So long games need little memory, and `add` and `count` are fast.
    """

    __slots__ = ("_layers", "_recent", "_total")
    _RECENT = 32

    def __init__(self, layers: tuple[Counts, ...] = (), recent: Counts | None = None, total: int = 0) -> None:
        self._layers = layers
        self._recent: Counts = {} if recent is None else recent
        self._total = total

    @classmethod
    def of(cls, keys: Sequence[bytes]) -> "History":
        """Return the history with these keys, added one after the other."""
        counts = dict.fromkeys(keys, 1)
        if len(counts) < len(keys):
            counts = dict(Counter(keys))
        return cls((counts,) if counts else (), None, len(keys))

    def add(self, key: bytes) -> "History":
        """Return this history with one more occurrence of `key`."""
        recent = {**self._recent, key: self.count(key) + 1}
        if len(recent) <= self._RECENT:
            return History(self._layers, recent, self._total + 1)
        layers = list(self._layers)
        while layers and len(layers[-1]) <= 2 * len(recent):
            recent = {**layers.pop(), **recent}
        return History((*layers, recent), None, self._total + 1)

    def count(self, key: bytes) -> int:
        """Return the number of occurrences of `key`."""
        if key in self._recent:
            return self._recent[key]
        for layer in reversed(self._layers):
            if key in layer:
                return layer[key]
        return 0

    def __contains__(self, key: bytes) -> bool:
        return key in self._recent or any(key in layer for layer in self._layers)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.counts())

    def __len__(self) -> int:
        return len(self.counts())

    def counts(self) -> Counts:
        """Return the number of occurrences of each key."""
        merged: Counts = {}
        for layer in (*self._layers, self._recent):
            merged.update(layer)
        return merged

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        if self._total != other._total:
            return False
        if self._layers is other._layers:
            return self._recent == other._recent
        return self.counts() == other.counts()

    def __hash__(self) -> int:
        # The total is cheap to compute and differs between most positions of a game, so it suffices as a hash.
        return hash(self._total)

    def __reduce__(self) -> tuple[Callable[[bytes, list[int], list[int], int], "History"], tuple[object, ...]]:
        """Pickle the keys in compressed form: two hundred 19x19 boards take two thousand bytes."""
        counts = self.counts()
        packed = compress(b"".join(counts))
        return _unpack, (packed, [len(key) for key in counts], list(counts.values()), self._total)


def _unpack(packed: bytes, lengths: list[int], counts: list[int], total: int) -> History:
    keys, ends = decompress(packed), accumulate(lengths)
    layer = {keys[end - length : end]: count for end, length, count in zip(ends, lengths, counts, strict=True)}
    return History((layer,) if layer else (), None, total)


class RepetitionRule:
    """A rule against repeated boards. `name` is one of `options.REPETITIONS`, or "draw".

    Here "draw" forbids the same boards as "simple"; the game itself ends on other repetitions.
    """

    def __init__(self, name: str, colours: Sequence[int]) -> None:
        self.name = name
        self._colours = tuple(colours)

    def forbids(self, history: History, before: bytes, after: bytes, maker: int) -> bool:
        """Return True if `maker` must not create the board `after`; `before` is the board before the last move."""
        if self.name == "none":
            return False
        if self.name in ("simple", "draw"):
            return after == before
        return self._key(after, maker) in history

    def add(self, history: History, stones: bytes, maker: int, by_placing: bool) -> History:
        """Return the history after a move of `maker` led to this board; `by_placing` is True for a stone."""
        return history.add(self._key(stones, maker)) if self._is_recorded(by_placing) else history

    def history_of(self, boards: Iterable[tuple[bytes, int, bool]]) -> History:
        """Return the history of `boards`. Each has the arguments `stones`, `maker` and `by_placing` of `add`."""
        suffixes = {colour: self._suffix(colour) for colour in self._colours}
        recorded = self._is_recorded(False), self._is_recorded(True)
        return History.of([stones + suffixes[maker] for stones, maker, by_placing in boards if recorded[by_placing]])

    def _is_recorded(self, by_placing: bool) -> bool:
        """Return True if a board belongs in the history: never for none and simple, for nssk only after a stone."""
        return self.name not in ("none", "simple") and (self.name != "nssk" or by_placing)

    def _key(self, stones: bytes, maker: int) -> bytes:
        return stones + self._suffix(maker)

    def _suffix(self, maker: int) -> bytes:
        """Return the part of a position that, besides the stones, must be equal for a board to count as repeated."""
        if self.name in ("psk", "draw"):
            return b""
        if self.name == "ssk":
            return bytes(colour for colour in self._colours if colour != maker)
        return bytes((maker,))
