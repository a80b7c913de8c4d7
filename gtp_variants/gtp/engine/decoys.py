"""Wrong names for hidden stones: what a screen that shows every move may show of those its viewer must not see.

GoGui marks the last move and names it under the board, whoever may look. So a process that is told to veil answers with
another point and takes that point for the real one when it hears it again; so does every process with the same key.
"""

import hmac
from collections.abc import Sequence
from random import Random


def veiled(key: bytes, turn: int, points: Sequence[int]) -> dict[int, int]:
    """Each point and the one named instead in a turn; whoever lacks the key learns nothing from it."""
    names = list(points)
    Random(hmac.digest(key, f"veil {turn}".encode(), "sha256")).shuffle(names)
    return dict(zip(points, names, strict=True))
