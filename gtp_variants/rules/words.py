"""Names of colours, reasons for refusals and numbers, in English and French."""

from collections.abc import Sequence

from gtp_variants.errors import IllegalMove, NotationError, SpecError

LANGUAGES = ("en", "fr")
COLOUR_LETTERS = (".", "b", "w", "r")
COLOUR_WORDS = {"b": 1, "black": 1, "w": 2, "white": 2, "r": 3, "red": 3}
# What a colour is called in GTP, and a point on which nobody stands.
COLOUR_NAMES = ("empty", "black", "white", "red")

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
        "or": "or",
        "did you mean": "; did you mean {word}?",
        "no text": "{given}: expected a SPEC such as go:size=9",
        "unknown game": "unknown game {name!r}, known: {known}",
        "unknown key": "unknown key {option!r} for {game}, known: {known}{hint}",
        "no equals": "{part!r}: expected key=value",
        "given twice": "{option}: given twice",
        "expected": "{option}={text}: expected {expected}",
        "supply numbers": "supply={text}: expected one number, or {count}, one for each colour",
        "mapping rows": "mapping: has {rows} rows, expected {size} for this board",
        "no total": "overflow=reroll: no total of {dice} names a line of this board",
        "number": "a number",
        "decimal": "a number such as 7.5",
        "decimal range": "a number from -1e12 to 1e12",
        "range": "{low} to {high}",
        "at least": "{low} or more",
        "of each": "such numbers for each colour, as 40/30",
        "text": "a text",
        "dice": "dice such as 1d6 or 2d4, at most {most} different throws",
        "mapping": "concentric, original, or rows of numbers from the top such as 1.1.1/1.2.1/1.1.1",
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
        "or": "ou",
        "did you mean": " ; vouliez-vous dire {word} ?",
        "no text": "{given} : il faut un SPEC comme go:size=9",
        "unknown game": "jeu inconnu {name!r}, il y a : {known}",
        "unknown key": "option inconnue {option!r} de {game}, il y a : {known}{hint}",
        "no equals": "{part!r} : il faut option=valeur",
        "given twice": "{option} : donné deux fois",
        "expected": "{option}={text} : il faut {expected}",
        "supply numbers": "supply={text} : il faut un seul nombre, ou {count}, un par couleur",
        "mapping rows": "mapping : {rows} lignes, il en faut {size} sur ce plateau",
        "no total": "overflow=reroll : aucun total de {dice} ne désigne de ligne de ce plateau",
        "number": "un nombre",
        "decimal": "un nombre comme 7.5",
        "decimal range": "un nombre de -1e12 à 1e12",
        "range": "un nombre de {low} à {high}",
        "at least": "un nombre d'au moins {low}",
        "of each": "un tel nombre par couleur, comme 40/30",
        "text": "un texte",
        "dice": "des dés comme 1d6 ou 2d4, d'au plus {most} lancers différents",
        "mapping": "concentric, original ou des lignes de nombres depuis le haut, comme 1.1.1/1.2.1/1.1.1",
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


def spec_error(key: str, **parts: object) -> SpecError:
    """The exception for a SPEC that cannot be, in each language; a part that depends on it is a function of it."""
    texts = {
        lang: sentence(key, lang, **{name: part(lang) if callable(part) else part for name, part in parts.items()})
        for lang in LANGUAGES
    }
    return SpecError(texts["en"], texts)


def listing(items: Sequence[object], lang: str = "en", last: str = "and") -> str:
    """ "6", "6 and 7", "8, 9 and 10", or with "or" as `last`."""
    texts = [str(item) for item in items]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {sentence(last, lang)} {texts[-1]}"


def number(value: float, lang: str = "en") -> str:
    """The shortest decimal of a score or komi: 7.5, 3, 0.1, or 7,5 in French; never an exponent."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    return text.replace(".", ",") if lang == "fr" else text


def did_you_mean(word: str, known: Sequence[str], lang: str = "en") -> str:
    """What to add to the message about an unknown word: the nearest known one, "" if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return sentence("did you mean", lang, word=near[0]) if near else ""
