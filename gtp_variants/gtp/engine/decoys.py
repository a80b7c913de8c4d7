"""Decoy vertices: GoGui is shown false points in place of hidden moves, which only our processes can decode.

GoGui marks the last move and names it under the board, whoever may look. So a process that is told to use decoys
answers with another point and takes that point for the real one when it hears it again; so does every process with the
same key.
"""

from collections.abc import Sequence


def shuffle(key: bytes, turn: int, points: Sequence[int]) -> dict[int, int]:
    """Each point and the one named instead in a turn; whoever lacks the key learns nothing from it."""
    import hmac
    from random import Random

    names = list(points)
    Random(hmac.digest(key, f"veil {turn}".encode(), "sha256")).shuffle(names)
    return dict(zip(points, names, strict=True))


def shared_key(seed: str | None) -> bytes:
    """Return the key that all processes of one window know and nobody else: their seed, or the host's."""
    if seed is not None:
        return seed.encode("utf-8", "surrogateescape")
    from gtp_variants.gtp.engine.shared_dice_key import host_key

    return host_key()
