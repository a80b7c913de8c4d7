"""The boards a game has seen, as a value: adding one makes a new history and leaves the old one as it was."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from zlib import compress, decompress

Counts = dict[bytes, int]


class History:
    """Counts how often each key occurred.

    A history is never changed. `add` copies only the keys of the last few dozen moves; older ones lie in layers, each
    more than twice as large as the next, that all the positions of a game share. So a long game stays small, and both
    adding and asking stay quick.
    """

    __slots__ = ("_layers", "_recent", "_total")
    _RECENT = 32

    def __init__(self, layers: tuple[Counts, ...] = (), recent: Counts | None = None, total: int = 0) -> None:
        self._layers = layers
        self._recent: Counts = {} if recent is None else recent
        self._total = total

    @classmethod
    def of(cls, keys: Sequence[bytes]) -> "History":
        """The history to which these were added, one after the other."""
        counts = dict.fromkeys(keys, 1)
        if len(counts) < len(keys):
            counts = dict(Counter(keys))
        return cls((counts,) if counts else (), None, len(keys))

    def add(self, key: bytes) -> "History":
        """This history and one more occurrence of `key`."""
        recent = {**self._recent, key: self.count(key) + 1}
        if len(recent) <= self._RECENT:
            return History(self._layers, recent, self._total + 1)
        layers = list(self._layers)
        while layers and len(layers[-1]) <= 2 * len(recent):
            recent = {**layers.pop(), **recent}
        return History((*layers, recent), None, self._total + 1)

    def count(self, key: bytes) -> int:
        """How often `key` occurred."""
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
        """How often each key occurred."""
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
        # Coarse on purpose: two positions of one game differ in it, and hashing must stay cheap.
        return hash(self._total)

    def __reduce__(self) -> tuple[Callable[[bytes, list[int], list[int], int], "History"], tuple[object, ...]]:
        """The boards one after the other, compressed: two hundred of 19x19 in two thousand bytes."""
        counts = self.counts()
        packed = compress(b"".join(counts))
        return _unpack, (packed, [len(key) for key in counts], list(counts.values()), self._total)


def _unpack(packed: bytes, lengths: list[int], counts: list[int], total: int) -> History:
    keys, ends = decompress(packed), accumulate(lengths)
    layer = {keys[end - length : end]: count for end, length, count in zip(ends, lengths, counts, strict=True)}
    return History((layer,) if layer else (), None, total)
