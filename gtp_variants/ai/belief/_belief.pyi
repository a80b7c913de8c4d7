"""Types of the native observation histories, which `kernel/belief/binding.cpp` defines; see `observations.py`."""

from collections.abc import Sequence

from gtp_variants.ai.belief.repair import Assignment

class ObservationHistory:
    def seat(self, placed: bytes) -> None: ...
    def expect(self, log_odds: Sequence[float]) -> None: ...
    def hear(
        self,
        kind: int,
        point: int,
        gone: bytes,
        count: int,
        atari: int,
        self_atari: bool,
        ends: bool,
        shown: int,
        boards: Sequence[int],
        after: bytes,
    ) -> None: ...
    def assignment(self) -> Assignment: ...

def make_history(
    neighbours: Sequence[Sequence[int]],
    rings: Sequence[int],
    colour: int,
    atari: str,
    self_atari: str,
    early: float,
    line: Sequence[float],
    early_line: Sequence[float],
    beside_theirs: Sequence[float],
    beside_ours: Sequence[float],
    near_theirs: float,
    eye: float,
) -> ObservationHistory: ...
