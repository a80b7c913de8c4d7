"""Types of the native menders; `kernel/binding.cpp` is where they are defined, `mending.py` says what they do."""

from collections.abc import Sequence

from gtp_variants.belief.repair import Mender

class Story:
    def seat(self, placed: bytes) -> None: ...
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
    def mender(self) -> Mender: ...

def make_story(
    neighbours: Sequence[Sequence[int]], rings: Sequence[int], colour: int, atari: str, self_atari: str
) -> Story: ...
