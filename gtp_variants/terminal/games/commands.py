"""The commands that a person may type, in English and French. Both languages are always understood."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gtp_variants.errors import NotationError
from gtp_variants.lang import RequestRefused, as_sentence, say
from gtp_variants.players.agreements import read_point
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_YES = {"en": ("yes", "y"), "fr": ("oui", "o", "yes", "y")}
_NO = {"en": ("no", "n"), "fr": ("non", "n", "no")}
_VERTEX = re.compile(r"[a-z]{1,2} ?[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A command that a person may type.

    `words` are its names: the English name, the French name and other names. `takes` is the kind of its argument:
    "point", "dice", "level", "file", "colour", "dead" for an optional point, or "" for none.
    """

    host: str
    name: str
    words: tuple[str, ...]
    takes: str

    def word(self, lang: str) -> str:
        """Return the command's name in a language."""
        return self.words[lang == "fr"]

    def form(self, lang: str) -> str:
        """Return the name and the argument as the help shows them."""
        return f"{self.word(lang)} {say(f'commands.takes_{self.takes}', lang)}" if self.takes else self.word(lang)

    def meaning(self, lang: str) -> str:
        """Return a sentence on the command's effect."""
        return say(f"commands.{self.host}_{self.name}", lang)


def _command(host: str, words: str, takes: str = "") -> TypedCommand:
    split = tuple(words.split())
    return TypedCommand(host, split[0], split, takes)


PLAY = (
    _command("play", "help aide ? h a"),
    _command("play", "pass passe passer p"),
    _command("play", "swap échange échanger"),
    _command("play", "undo annule annuler u"),
    _command("play", "hint conseil indice"),
    _command("play", "analysis analyse analyze"),
    _command("play", "odds chances"),
    _command("play", "liberties libertés libs l", "point"),
    _command("play", "atari atari ataris"),
    _command("play", "board plateau goban"),
    _command("play", "draws tirages tirage"),
    _command("play", "dice dés dé", "dice"),
    _command("play", "score compte"),
    _command("play", "dead morte mort mortes", "dead"),
    _command("play", "end fin"),
    _command("play", "resume reprends reprendre"),
    _command("play", "level niveau", "level"),
    _command("play", "rules règles regles"),
    _command("play", "record partie coups"),
    _command("play", "save sauve sauver enregistre", "file"),
    _command("play", "resign abandonne abandonner"),
    _command("play", "new nouvelle"),
    _command("play", "quit quitte quitter q exit"),
)

# Commands that are still useful after the end of a game.
WHEN_FINISHED = (
    *("help", "rules", "quit", "board", "record", "new"),
    *("liberties", "atari", "draws", "score", "save"),
)

REFEREE = (
    _command("referee", "help aide ? h a"),
    _command("referee", "pass passe passer p"),
    _command("referee", "undo annule annuler u"),
    _command("referee", "correct corrige corriger", "point"),
    _command("referee", "own siennes pierres", "colour"),
    _command("referee", "board goban plateau"),
    _command("referee", "repeat répète répéter"),
    _command("referee", "count compte fin end"),
    _command("referee", "dead morte mort mortes", "dead"),
    _command("referee", "resume reprends reprendre"),
    _command("referee", "resign abandonne abandonner"),
    _command("referee", "quit quitte quitter q exit"),
)


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A typed line: the name of a command and its argument. For a move, the name is "" and the argument a vertex."""

    name: str
    argument: str = ""


def read(line: str, table: Sequence[TypedCommand], lang: str, example: str) -> TypedLine:
    """Read a typed line. Raises NotationError, in the given language, if it is not understood."""
    text = " ".join(line.split())
    plain = fold(text)
    if _VERTEX.fullmatch(plain):
        return TypedLine("", plain.replace(" ", ""))
    first, _, rest = text.partition(" ")
    word = fold(first)
    known = {fold(each): command for command in table for each in command.words}
    if word in ("play", "joue", "jouer") and rest:
        return TypedLine("", fold(rest).replace(" ", ""))
    command = known.get(word)
    if command is None:
        own = [fold(command.word(lang)) for command in table]
        close = get_close_matches(word[:20], own, 1, 0.6)
        if close:
            raise NotationError(say("terminal.unknown_like", lang, word=quote(first), like=known[close[0]].word(lang)))
        raise NotationError(say("terminal.unknown", lang, word=quote(text)))
    if rest and not command.takes:
        raise NotationError(say("terminal.no_argument", lang, word=quote(rest), command=command.word(lang)))
    if not rest and command.takes == "point":
        raise NotationError(say("terminal.which_vertex", lang, command=command.word(lang), vertex=example))
    return TypedLine(command.name, rest)


def quote(word: str) -> str:
    """Return typed text in quotes, shortened and without control characters."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in word[:20])
    return f"'{shown}'"


def answer_of(line: str, lang: str) -> bool | None:
    """Return True for yes, False for no, or None for anything else."""
    word = line.strip().lower()
    if word in _YES[lang]:
        return True
    return False if word in _NO[lang] else None


def fold(text: str) -> str:
    """Return a text in lower case without accents."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def point_of(board: Board, text: str, lang: str) -> int:
    """Return the point that a person names. Raises NotationError, in the given language, for any other text."""
    try:
        return read_point(board, text.replace(" ", ""))
    except RequestRefused as refused:
        raise NotationError(as_sentence(refused.reason(lang))) from None


def colour_of(rules: Rules, argument: str, word: str) -> int:
    """Return the colour that `word` names, in either language or by its English letter.

    Raises NotationError, which names the argument, if nobody plays that colour in this game.
    """
    known = {COLOUR_LETTERS[colour]: colour for colour in rules.colours}
    named = {colour_name(colour, lang).lower(): colour for colour in rules.colours for lang in LANGUAGES}
    colour = (known | named).get(word.lower())
    if colour is None:
        raise NotationError(f"{argument} {word[:20]}: expected a colour of this game: {' '.join(known)}")
    return colour


def help_lines(table: Iterable[TypedCommand], lang: str) -> list[str]:
    """Return one line per command, with its form and its effect."""
    forms = [(command.form(lang), command.meaning(lang)) for command in table]
    widest = max(len(form) for form, _ in forms)
    return [f"{form:<{widest}}  {does}" for form, does in forms]


def has_use(name: str, rules: Rules, actions: Sequence[int], has_bots: bool, is_finished: bool) -> bool:
    """Return True if a command in PLAY is useful in a game. `actions` lists the actions that the seat may try."""
    has_dice = isinstance(rules, DicedRules)
    useful: dict[str, bool] = {
        "pass": rules.end_passes > 0 or PASS in actions,
        "swap": bool(rules.values.get("swap")),
        "undo": rules.is_open,
        "odds": not rules.is_open,
        "analysis": rules.is_open,
        "draws": has_dice,
        "dice": has_dice,
        "score": rules.is_scored and rules.is_open,
        "dead": rules.agrees_on_dead,
        "end": rules.agrees_on_dead and not rules.is_open,
        "resume": rules.end_passes > 0,
        "level": has_bots,
        "save": rules.is_open or is_finished,
    }
    return useful.get(name, True) and (name in WHEN_FINISHED or not is_finished)
