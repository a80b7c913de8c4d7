"""The commands that a person may type, in English and French. Both languages are always understood."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from gtp_variants.errors import NotationError
from gtp_variants.lang import RequestRefused, as_sentence, load, say
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
    """A command that a person may type, read by `host`, "play" or "referee". `commands.toml` explains the rest."""

    host: str
    words: Sequence[str]
    takes: str = ""
    stages: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The English name."""
        return self.words[0]

    def word(self, lang: str) -> str:
        """Return the command's name in a language."""
        return self.words[lang == "fr"]

    def form(self, lang: str) -> str:
        """Return the name and the argument as the help shows them."""
        return f"{self.word(lang)} {say(f'commands.takes_{self.takes}', lang)}" if self.takes else self.word(lang)

    def meaning(self, lang: str) -> str:
        """Return a sentence on the command's effect."""
        return say(f"commands.{self.host}_{self.name}", lang)


PLAY, REFEREE = (
    tuple(TypedCommand(host, **entry) for entry in entries)
    for host, entries in load(Path(__file__).with_name("commands.toml")).items()
)


def names_at(stage: str) -> set[str]:
    """Return the names of the commands of `play` that a stage after the moves accepts: "counting" or "finished"."""
    return {command.name for command in PLAY if stage in command.stages}


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
        "passes": "white_passes" in rules.values,
        "match": len(rules.colours) == 2,
        "nonce": has_dice,
        "score": rules.is_scored and rules.is_open,
        "dead": rules.agrees_on_dead,
        "end": rules.agrees_on_dead and not rules.is_open,
        "resume": rules.end_passes > 0,
        "level": has_bots,
        "save": rules.is_open or is_finished,
    }
    return useful.get(name, True) and (not is_finished or name in names_at("finished"))
