"""Why a move is illegal: the sentence for each reason, in English and French, and the exceptions that carry it."""

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.colour_names import colour_name

# Most keys are reasons of `IllegalMove.REASONS`; the others say more exactly what such a reason means in one game.
_SENTENCES = {
    "en": {
        "game over": "the game is over",
        "not your turn": "it is {name}'s turn",
        "no pass": "there is no pass in this game",
        "no pass left": "{name} has no pass left",
        "no swap": "colours can be swapped only as the second move, and only if the game allows it",
        "off board": "that is no point of this board",
        "occupied": "{vertex} holds a {stone} stone",
        "supply": "{name} has no stone left",
        "suicide": "a stone on {vertex} would have no liberty",
        "repetition": "a stone on {vertex} would repeat an earlier position",
        "line": "{vertex} is on line {line}, the draw opens line {open}",
        "lines": "{vertex} is on line {line}, the draw opens lines {open}",
        "no line": "{vertex} is on line {line}, the draw opens no line",
        "not suspended": "the game is not suspended by passes",
        "no die": "the dice of this game are thrown first",
        "impossible": "impossible move",
    },
    "fr": {
        "game over": "la partie est finie",
        "not your turn": "c'est à {name} de jouer",
        "no pass": "on ne passe pas à ce jeu",
        "no pass left": "{name} a épuisé ses passes",
        "no swap": "l'échange des couleurs n'est possible qu'au deuxième coup, et seulement si la partie le prévoit",
        "off board": "ce point n'est pas sur le plateau",
        "occupied": "{vertex} porte une pierre {stone}",
        "supply": "{name} n'a plus de pierre",
        "suicide": "une pierre en {vertex} n'aurait pas de liberté",
        "repetition": "une pierre en {vertex} répéterait une position antérieure",
        "line": "{vertex} est sur la ligne {line}, le tirage ouvre la ligne {open}",
        "lines": "{vertex} est sur la ligne {line}, le tirage ouvre les lignes {open}",
        "no line": "{vertex} est sur la ligne {line}, le tirage n'ouvre aucune ligne",
        "not suspended": "la partie n'est pas suspendue par des passes",
        "no die": "il faut d'abord lancer les dés",
        "impossible": "coup impossible",
    },
}


def explain(key: str, lang: str = "en", **parts: object) -> str:
    """Return the sentence of a key, its places filled with `parts`."""
    return _SENTENCES[lang][key].format(**parts)


def illegal(reason: str, lang: str = "en", **parts: object) -> IllegalMove:
    """Return the exception for a reason of `IllegalMove.REASONS`, with its sentence."""
    return IllegalMove(reason, explain(reason, lang, **parts))


def not_turn(mover: int, lang: str = "en") -> IllegalMove:
    """Return the exception for a player who moves while it is the turn of `mover`."""
    return illegal("not your turn", lang, name=colour_name(mover, lang))
