"""Names of colours, reasons for refusals and numbers, in English and French."""

from collections.abc import Sequence

from gtp_variants.errors import IllegalMove, NotationError

LANGUAGES = ("en", "fr")
COLOUR_LETTERS = (".", "b", "w", "r")
COLOUR_WORDS = {"b": 1, "black": 1, "w": 2, "white": 2, "r": 3, "red": 3}

_NAMES = {"en": ("nobody", "Black", "White", "Red"), "fr": ("personne", "Noir", "Blanc", "Rouge")}
_OF_STONES = {
    "en": (("empty", "empty"), ("black", "black"), ("white", "white"), ("red", "red")),
    "fr": (("vide", "vides"), ("noire", "noires"), ("blanche", "blanches"), ("rouge", "rouges")),
}
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
        "and": "and",
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
        "and": "et",
        "impossible": "coup impossible",
    },
}


def read_colour(word: str) -> int:
    """BLACK, WHITE or RED from `b|black|w|white|r|red` in either case. Raises NotationError."""
    colour = COLOUR_WORDS.get(word.lower())
    if colour is None:
        raise NotationError(f"invalid colour or vertex: {word[:20]} (a colour is b, black, w, white, r or red)")
    return colour


def name(colour: int, lang: str = "en") -> str:
    """ "Black" or "Noir"."""
    return _NAMES[lang][colour]


def stones(colour: int, count: int, lang: str = "en") -> str:
    """ "1 white stone", "3 white stones", "1 pierre blanche", "3 pierres blanches"."""
    singular, plural = _OF_STONES[lang][colour]
    if lang == "fr":
        return f"{count} pierre {singular}" if count < 2 else f"{count} pierres {plural}"
    return f"{count} {singular} stone" if count == 1 else f"{count} {plural} stones"


def adjective(colour: int, lang: str = "en") -> str:
    """ "black" or "noire", of one stone."""
    return _OF_STONES[lang][colour][0]


def sentence(key: str, lang: str = "en", **parts: object) -> str:
    """The sentence for a reason, filled in."""
    return _SENTENCES[lang][key].format(**parts)


def illegal(reason: str, lang: str = "en", **parts: object) -> IllegalMove:
    """The exception for a reason of `IllegalMove.REASONS`, with its sentence."""
    return IllegalMove(reason, sentence(reason, lang, **parts))


def not_turn(mover: int, lang: str = "en") -> IllegalMove:
    """The exception for somebody who is not to move, while `mover` is."""
    return illegal("not your turn", lang, name=name(mover, lang))


def listing(items: Sequence[object], lang: str = "en") -> str:
    """ "6", "6 and 7", "8, 9 and 10"."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {_SENTENCES[lang]['and']} {texts[-1]}"


def number(value: float, lang: str = "en") -> str:
    """The shortest decimal of a score or komi: 7.5, 3, 0.1, or 7,5 in French; never an exponent."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    return text.replace(".", ",") if lang == "fr" else text


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """What to add to the message about an unknown word: the nearest known one, "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]}?" if near else ""
