"""The boards a game has seen, as a value: adding one makes a new history and leaves the old one as it was."""

from collections.abc import Iterator


class History:
    """Counts how often each key occurred.

    A history is never changed. `add` copies only the keys of the last few dozen moves; older ones are shared
    between all the positions of a game, so a long game stays small and adding stays quick.
    """

    __slots__ = ("_old", "_recent")
    _RECENT = 32

    def __init__(self, old: dict[bytes, int] | None = None, recent: dict[bytes, int] | None = None) -> None:
        self._old = {} if old is None else old
        self._recent = {} if recent is None else recent

    def add(self, key: bytes) -> "History":
        """This history and one more occurrence of `key`."""
        count = self.count(key) + 1
        if len(self._recent) < self._RECENT:
            return History(self._old, {**self._recent, key: count})
        return History({**self._old, **self._recent, key: count})

    def count(self, key: bytes) -> int:
        """How often `key` occurred."""
        return self._recent.get(key) or self._old.get(key, 0)

    def __contains__(self, key: bytes) -> bool:
        return key in self._recent or key in self._old

    def __iter__(self) -> Iterator[bytes]:
        return iter({**self._old, **self._recent})

    def __len__(self) -> int:
        return len({**self._old, **self._recent})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        if self._old is other._old:
            return self._recent == other._recent
        return {**self._old, **self._recent} == {**other._old, **other._recent}

    def __hash__(self) -> int:
        # Coarse on purpose: equal histories of one game differ in length, and hashing must stay cheap.
        return hash((len(self._old), len(self._recent)))

    def __reduce__(self) -> tuple[type["History"], tuple[dict[bytes, int], dict[bytes, int]]]:
        return History, (self._old, self._recent)
