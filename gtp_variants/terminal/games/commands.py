"""The words a person may type, in English and French; all of them are understood in both languages."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from gtp_variants.errors import NotationError
from gtp_variants.lang import as_sentence, say
from gtp_variants.rules import words
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.rules import Rules

_YES = {"en": ("yes", "y"), "fr": ("oui", "o", "yes", "y")}
_NO = {"en": ("no", "n"), "fr": ("non", "n", "no")}
_VERTEX = re.compile(r"[a-z]{1,2} ?[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """One thing a person may ask for.

    `words` are all that mean it, the English one first and the French one second; `takes` is what follows, in both
    languages, "" for nothing; `does` says it for the help.
    """

    name: str
    words: tuple[str, ...]
    takes: tuple[str, str]
    does: tuple[str, str]

    def word(self, lang: str) -> str:
        """What a person who speaks this language types."""
        return self.words[lang == "fr"]


def _command(words: str, does_en: str, does_fr: str, takes_en: str = "", takes_fr: str | None = None) -> TypedCommand:
    split = tuple(words.split())
    return TypedCommand(split[0], split, (takes_en, takes_en if takes_fr is None else takes_fr), (does_en, does_fr))


PLAY = (
    _command("help aide ? h a", "this list", "cette liste"),
    _command(
        "pass passe passer p",
        "pass; after passes that stop the game: agree to its end",
        "passer ; quand des passes ont arrêté la partie : accepter la fin",
    ),
    _command("swap échange échanger", "take over the first stone", "reprendre la première pierre"),
    _command("undo annule annuler u", "take your last move back", "reprendre son dernier coup"),
    _command("hint conseil indice", "what a bot would play here", "ce que jouerait un programme"),
    _command("odds chances", "where the stones you do not see may be", "où peuvent être les pierres cachées"),
    _command("liberties libertés libs l", "the liberties of a chain", "les libertés d'une chaîne", "POINT"),
    _command("atari atari ataris", "the chains with one liberty", "les chaînes qui n'ont qu'une liberté"),
    _command("board plateau goban", "show the board again", "remontrer le plateau"),
    _command("draws tirages tirage", "the dice so far, and the commitment", "les dés tirés, et l'engagement"),
    _command("dice dés dé", "change the dice by agreement", "changer de dés, d'un commun accord", "1d6"),
    _command("score compte", "how the game stands", "le compte en l'état"),
    _command("dead morte mort mortes", "call a chain dead, or no longer", "dire une chaîne morte, ou non", "POINT"),
    _command("end fin", "count the game", "compter la partie"),
    _command("resume reprends reprendre", "play on after passes stopped the game", "continuer après les passes"),
    _command("level niveau", "how strong the bot plays", "la force du programme", "N"),
    _command("record partie coups", "the moves so far", "les coups joués"),
    _command(
        "save sauve sauver enregistre", "write the game to a file", "l'écrire dans un fichier", "[FILE]", "[FICHIER]"
    ),
    _command("resign abandonne abandonner", "give up", "abandonner"),
    _command("new nouvelle", "a new game; this one is kept", "une nouvelle partie ; celle-ci est conservée"),
    _command("quit quitte quitter q exit", "leave; the game is kept", "quitter ; la partie est conservée"),
)

REFEREE = (
    _command("help aide ? h a", "this list", "cette liste"),
    _command("pass passe passer p", "the side to move passes", "le joueur passe"),
    _command("undo annule annuler u", "withdraw the last entry, mistyped", "retirer la dernière saisie"),
    _command(
        "correct corrige corriger",
        "the last entry was another point",
        "la dernière saisie était un autre point",
        "POINT",
    ),
    _command("own siennes pierres", "a player checks their own stones", "un joueur vérifie ses pierres", "b|w", "n|b"),
    _command(
        "board goban plateau", "the referee's board, players look away", "le goban de l'arbitre, sans les joueurs"
    ),
    _command("repeat répète répéter", "say the last announcement again", "redire la dernière annonce"),
    _command("count compte fin end", "both agree to the end: count", "les deux acceptent la fin : compter"),
    _command("dead morte mort mortes", "call a chain dead, or no longer", "dire une chaîne morte, ou non", "POINT"),
    _command("resume reprends reprendre", "play on after two passes", "continuer après deux passes"),
    _command("resign abandonne abandonner", "the side to move gives up", "le joueur abandonne"),
    _command("quit quitte quitter q exit", "leave; the game is kept", "quitter ; la partie est conservée"),
)


@dataclass(frozen=True, slots=True)
class TypedLine:
    """What a line asks for: a command by its first word, with what followed; "" and the vertex for a point."""

    name: str
    argument: str = ""


def read(line: str, table: Sequence[TypedCommand], lang: str, example: str) -> TypedLine:
    """What a line asks for. Raises NotationError with a sentence in the language for what cannot be understood."""
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
    if rest and not command.takes[0]:
        raise NotationError(say("terminal.no_argument", lang, command=command.word(lang)))
    if not rest and command.takes[0] == "POINT":
        raise NotationError(say("terminal.which_vertex", lang, command=command.word(lang), vertex=example))
    return TypedLine(command.name, rest)


def quote(word: str) -> str:
    """What a person typed, short and without anything a terminal would obey."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in word[:20])
    return f"'{shown}'"


def answer_of(line: str, lang: str) -> bool | None:
    """Yes or no, None for neither."""
    word = line.strip().lower()
    if word in _YES[lang]:
        return True
    return False if word in _NO[lang] else None


def fold(text: str) -> str:
    """In small letters and without accents, as hurried people type."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def point_of(board: Board, text: str, lang: str) -> int:
    """The point a person names. Raises NotationError with a sentence in the language."""
    try:
        return board.point(text.replace(" ", ""))
    except ValueError:
        raise NotationError(
            as_sentence(say("refusals.no_point", lang, word=quote(text), example=example(board)))
        ) from None


def colour_of(rules: Rules, argument: str, word: str) -> int:
    """The colour of an argument of a command: its name in either language, or its English letter.

    Raises NotationError that names the argument if nobody plays it in this game.
    """
    known = {words.COLOUR_LETTERS[colour]: colour for colour in rules.colours}
    named = {words.name(colour, lang).lower(): colour for colour in rules.colours for lang in words.LANGUAGES}
    colour = (known | named).get(word.lower())
    if colour is None:
        raise NotationError(f"{argument} {word[:20]}: expected a colour of this game: {' '.join(known)}")
    return colour


def example(board: Board) -> str:
    """A point of the board, to show how points are named."""
    return board.vertices[len(board) // 2]


def help_lines(table: Iterable[TypedCommand], lang: str) -> list[str]:
    """One line for each command."""
    which = lang == "fr"
    forms = [(f"{command.word(lang)} {command.takes[which]}".rstrip(), command.does[which]) for command in table]
    widest = max(len(form) for form, _ in forms)
    return [f"{form:<{widest}}  {does}" for form, does in forms]
