"""Ko and superko: which earlier boards a stone may not recreate, by the repetition rule of the game."""

from collections.abc import Iterable, Sequence

from gtp_variants.rules.boards.history import History


class RepetitionRule:
    """One of `options.REPETITIONS`, or "draw": as "simple", and what else is seen again is left to the game."""

    def __init__(self, name: str, colours: Sequence[int]) -> None:
        self.name = name
        self._colours = tuple(colours)

    def forbids(self, history: History, before: bytes, after: bytes, maker: int) -> bool:
        """Whether `maker` may not make the board `after`; `before` is the board before the last move."""
        if self.name == "none":
            return False
        if self.name in ("simple", "draw"):
            return after == before
        return self._key(after, maker) in history

    def add(self, history: History, stones: bytes, maker: int, by_placing: bool) -> History:
        """The history after `maker` left this board to the other side."""
        return history.add(self._key(stones, maker)) if self._is_recorded(by_placing) else history

    def history_of(self, boards: Iterable[tuple[bytes, int, bool]]) -> History:
        """The history of these boards: the stones, who left them to the other side, and whether by placing one."""
        suffixes = {colour: self._suffix(colour) for colour in self._colours}
        recorded = self._is_recorded(False), self._is_recorded(True)
        return History.of([stones + suffixes[maker] for stones, maker, by_placing in boards if recorded[by_placing]])

    def _is_recorded(self, by_placing: bool) -> bool:
        """Whether a board may matter later. Only placements count for nssk."""
        return self.name not in ("none", "simple") and (self.name != "nssk" or by_placing)

    def _key(self, stones: bytes, maker: int) -> bytes:
        return stones + self._suffix(maker)

    def _suffix(self, maker: int) -> bytes:
        """What besides the stones must be the same for a board to be one that was seen before."""
        if self.name in ("psk", "draw"):
            return b""
        if self.name == "ssk":
            return bytes(colour for colour in self._colours if colour != maker)
        return bytes((maker,))
