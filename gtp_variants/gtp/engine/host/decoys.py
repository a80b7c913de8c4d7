"""Decoy vertices: GoGui is shown false points in place of hidden moves, which only our processes can decode.

GoGui marks the last move and names it under the board, whoever may look. So a process that is told to use decoys
answers with another point and takes that point for the real one when it hears it again; so does every process with the
same key.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gtp_variants.gtp.engine.session import Session


def decoys(session: "Session", colour: int) -> dict[int, int]:
    """The points a colour may play on now, and how they are named to a host whose viewer must not know them."""
    viewer = session.viewer
    if not session.quirks.uses_decoys or not session.is_hosted or session.rules.is_open or viewer in (None, colour):
        return {}
    assert viewer is not None
    stones = session.table.view(viewer).stones
    return shuffle(_key(session), session.position.turn, [point for point, owner in enumerate(stones) if not owner])


def shuffle(key: bytes, turn: int, points: Sequence[int]) -> dict[int, int]:
    """Each point and the one named instead in a turn; whoever lacks the key learns nothing from it."""
    import hmac
    from random import Random

    names = list(points)
    Random(hmac.digest(key, f"veil {turn}".encode(), "sha256")).shuffle(names)
    return dict(zip(points, names, strict=True))


def _key(session: "Session") -> bytes:
    """What all processes of one window know and nobody else."""
    if session.seed is not None:
        return session.seed.encode("utf-8", "surrogateescape")
    from gtp_variants.gtp.engine.host.shared_dice_key import host_key

    return host_key()
