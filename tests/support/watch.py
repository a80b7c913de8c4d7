"""A watch for games whose clocks a test sets."""

from dataclasses import dataclass


@dataclass
class Watch:
    """Seconds that go on when a test says so."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s
