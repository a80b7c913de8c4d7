"""The sentences for illegal moves, from `illegal_moves.toml`, and the exceptions that contain them."""

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import sentence


def explain(key: str, lang: str = "en", **parts: object) -> str:
    """Return the sentence for a key, with its placeholders filled from `parts`."""
    return sentence("illegal_moves", key, lang, **parts)


def illegal(reason: str, lang: str = "en", **parts: object) -> IllegalMove:
    """Return the exception for a reason in `IllegalMove.REASONS`, with its sentence."""
    return IllegalMove(reason, explain(reason, lang, **parts))


def not_turn(mover: int, lang: str = "en") -> IllegalMove:
    """Return the exception for a player who moves when it is the turn of `mover`."""
    return illegal("not your turn", lang, name=colour_name(mover, lang))
