"""Why a move is illegal: sentences for each reason, in English and French, and the exceptions that carry them."""

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import translate

# English and French. Most keys are reasons in `IllegalMove.REASONS`; the others have more exact sentences for a reason.
_SENTENCES = {
    "game over": ("the game is over", "la partie est finie"),
    "not your turn": ("it is {name}'s turn", "c'est à {name} de jouer"),
    "no pass": ("there is no pass in this game", "on ne passe pas à ce jeu"),
    "no pass left": ("{name} has no pass left", "{name} a épuisé ses passes"),
    "no swap": (
        "colours can be swapped only as the second move, and only if the game allows it",
        "l'échange des couleurs n'est possible qu'au deuxième coup, et seulement si la partie le prévoit",
    ),
    "off board": ("that is no point of this board", "ce point n'est pas sur le plateau"),
    "occupied": ("{vertex} holds a {stone} stone", "{vertex} porte une pierre {stone}"),
    "supply": ("{name} has no stone left", "{name} n'a plus de pierre"),
    "suicide": ("a stone on {vertex} would have no liberty", "une pierre en {vertex} n'aurait pas de liberté"),
    "repetition": (
        "a stone on {vertex} would repeat an earlier position",
        "une pierre en {vertex} répéterait une position antérieure",
    ),
    "line": (
        "{vertex} is on line {line}, the draw opens line {open}",
        "{vertex} est sur la ligne {line}, le tirage ouvre la ligne {open}",
    ),
    "lines": (
        "{vertex} is on line {line}, the draw opens lines {open}",
        "{vertex} est sur la ligne {line}, le tirage ouvre les lignes {open}",
    ),
    "no line": (
        "{vertex} is on line {line}, the draw opens no line",
        "{vertex} est sur la ligne {line}, le tirage n'ouvre aucune ligne",
    ),
    "not suspended": ("the game is not suspended by passes", "la partie n'est pas suspendue par des passes"),
    "no die": ("the dice of this game are thrown first", "il faut d'abord lancer les dés"),
    "impossible": ("impossible move", "coup impossible"),
}


def explain(key: str, lang: str = "en", **parts: object) -> str:
    """Return the sentence for a key, with its placeholders filled from `parts`."""
    return translate(_SENTENCES[key], lang).format(**parts)


def illegal(reason: str, lang: str = "en", **parts: object) -> IllegalMove:
    """Return the exception for a reason in `IllegalMove.REASONS`, with its sentence."""
    return IllegalMove(reason, explain(reason, lang, **parts))


def not_turn(mover: int, lang: str = "en") -> IllegalMove:
    """Return the exception for a player who moves when it is the turn of `mover`."""
    return illegal("not your turn", lang, name=colour_name(mover, lang))
