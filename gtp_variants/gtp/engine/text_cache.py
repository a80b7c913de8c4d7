"""A cache of texts by position, since GoGui replays the whole game for every move."""

from collections.abc import Callable

from gtp_variants.rules.position import Position

_POSITIONS = 16


class TextCache:
    """Texts about the last positions that were asked about; the same position comes back as another object."""

    def __init__(self) -> None:
        self._texts: dict[Position, dict[str, str]] = {}

    def clear(self) -> None:
        """Forget all of them: the same position may mean something else now."""
        self._texts.clear()

    def get(self, position: Position, key: str, make: Callable[[], str]) -> str:
        """The text under a key, made only the first time."""
        texts = self._texts.get(position)
        if texts is None:
            if len(self._texts) >= _POSITIONS:
                del self._texts[next(iter(self._texts))]
            texts = self._texts[position] = {}
        if key not in texts:
            texts[key] = make()
        return texts[key]
