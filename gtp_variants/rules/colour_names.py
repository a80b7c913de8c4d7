"""The names of colours: letters and words for programs, English and French names for people."""

from gtp_variants.errors import NotationError

# Indexed by colour; index 0 is an empty point.
COLOUR_LETTERS = (".", "b", "w", "r")
COLOUR_NAMES = ("empty", "black", "white", "red")
COLOUR_WORDS = {"b": 1, "black": 1, "w": 2, "white": 2, "r": 3, "red": 3}

_PLAYER_NAMES = {"en": ("nobody", "Black", "White", "Red"), "fr": ("personne", "Noir", "Blanc", "Rouge")}
# The adjectives for one stone and for several stones.
_ADJECTIVES = {
    "en": (("empty", "empty"), ("black", "black"), ("white", "white"), ("red", "red")),
    "fr": (("vide", "vides"), ("noire", "noires"), ("blanche", "blanches"), ("rouge", "rouges")),
}


def read_colour(word: str) -> int:
    """Return the colour that one of `COLOUR_WORDS` names, ignoring case. Raises NotationError for other words."""
    colour = COLOUR_WORDS.get(word.lower())
    if colour is None:
        raise NotationError(f"invalid colour or vertex: {word[:20]} (a colour is b, black, w, white, r or red)")
    return colour


def colour_name(colour: int, lang: str = "en") -> str:
    """Return the name of the player with a colour, such as "Black" or "Noir"."""
    return _PLAYER_NAMES[lang][colour]


def colour_adjective(colour: int, lang: str = "en") -> str:
    """Return the adjective for one stone of a colour, such as "black" or "noire"."""
    return _ADJECTIVES[lang][colour][0]


def count_stones(colour: int, count: int, lang: str = "en") -> str:
    """Return a number of stones in words, such as "1 white stone", "3 white stones" or "3 pierres blanches"."""
    singular, plural = _ADJECTIVES[lang][colour]
    if lang == "fr":
        return f"{count} pierre {singular}" if count < 2 else f"{count} pierres {plural}"
    return f"{count} {singular} stone" if count == 1 else f"{count} {plural} stones"
