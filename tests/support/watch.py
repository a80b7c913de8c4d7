"""A watch for games whose clocks are set by a test."""

from dataclasses import dataclass


@dataclass
class Watch:
    """Seconds that advance only when a test says so."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s
