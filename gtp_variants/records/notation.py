"""Moves and events as words. Every file, protocol and screen reads and writes them with this module.

A move is a vertex such as D4, or `pass`, `swap` or `resign`. An event is two words, an actor and an action: `b D4`, `b
pass`, `b swap`, `chance 4`, `chance 2 5` (the faces), `chance free` (every line is open), `w resign`, `w time`, `w
forfeit`, `b resume`, `b set_dice 1d6`, `b dead D4`, `w white_passes 6`, `b match 1/2 black_moves`, `chance settle`, `b
turn` (the other side's turn is skipped) and `chance tolerate` (a host accepts the next stone, although the rules forbid
it). A list of events determines a game.
"""

import re
from collections.abc import Sequence

from gtp_variants.errors import NotationError
from gtp_variants.rules import actions
from gtp_variants.rules.actions import Event, pack, unpack
from gtp_variants.rules.boards.board import Board, read_vertex
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import dice_of_code, read_dice
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, faces_of

# Actor and action, such as ("b", "D4").
Words = tuple[str, str]

ACTOR_WORDS = ("chance", *COLOUR_LETTERS[1:])
ACTORS = {word: actor for actor, word in enumerate(ACTOR_WORDS)}

_WORDS = {
    actions.PASS: "pass",
    actions.SWAP: "swap",
    actions.RESIGN: "resign",
    actions.RESUME: "resume",
    actions.SETTLE: "settle",
    actions.TURN: "turn",
    actions.FLAG: "time",
    actions.FORFEIT: "forfeit",
    actions.TOLERATE: "tolerate",
}
_ACTIONS = {word: action for action, word in _WORDS.items()}
_MOVES = {_WORDS[action]: action for action in (actions.PASS, actions.SWAP, actions.RESIGN)}
_FREE = "free"
_LONGEST_FACE = 4


# -- moves -------------------------------------------------------------------------------------------------------------


def write_move(board: Board, action: int) -> str:
    """Return the vertex of a point, or `pass`, `swap` or `resign`. Actions with an argument are not supported."""
    return _WORDS.get(action) or board.vertex(action)


def read_move(board: Board, word: str) -> int:
    """Return the action for a vertex, `pass`, `swap` or `resign`, in any case. Raises NotationError for other words.

    A vertex off this board becomes a number beyond the last point, which the rules reject as off board.
    """
    action = _MOVES.get(word.lower())
    if action is not None:
        return action
    point = board.at(*read_vertex(word))
    return len(board) if point is None else point


# -- dice --------------------------------------------------------------------------------------------------------------


def write_faces(faces: Sequence[int]) -> str:
    """Return the faces of a throw as words, such as `2 5`. No faces become `free`: every line is open."""
    return " ".join(map(str, faces)) or _FREE


def read_faces(words: Sequence[str], dice: object = "the dice") -> tuple[int, ...]:
    """Return the faces of a throw, or () for `free`. Raises NotationError for other words; the dice are not checked."""
    if [word.lower() for word in words] == [_FREE]:
        return ()
    if not words or not all(word.isascii() and word.isdigit() and len(word) <= _LONGEST_FACE for word in words):
        raise NotationError(f"{' '.join(words)[:20]!r}: expected the faces of {dice}, or free")
    return tuple(map(int, words))


# -- events ------------------------------------------------------------------------------------------------------------


def write_event(rules: Rules, before: Position, event: Event) -> Words:
    """Return an event as words. `before` is the position in which the event happened."""
    actor = ACTOR_WORDS[event.actor]
    if event.actor == actions.CHANCE and event.action >= 0:
        return actor, write_faces(faces_of(rules, before, event.action))
    return actor, write_action(rules, event.action)


def write_action(rules: Rules, action: int) -> str:
    """Return an action that is not a throw as words."""
    kind, argument = unpack(action)
    if kind == actions.SET_DICE:
        return f"set_dice {dice_of_code(argument)}"
    if kind == actions.MARK_DEAD:
        return f"dead {rules.board.vertex(argument)}"
    if kind == actions.WHITE_PASSES:
        return f"white_passes {argument}"
    if kind == actions.MATCH:
        return f"match {actions.MATCH_GAMES[argument]}"
    return write_move(rules.board, action)


def write_game(game: Game) -> list[Words]:
    """Return every event of a game as words, in order."""
    return [write_event(game.rules, *each) for each in zip(game.positions, game.events, strict=False)]


def read_event(rules: Rules, position: Position, actor_word: str, word: str) -> Event:
    """Return the event for two words. Raises NotationError for other words, IllegalMove for a point off the board."""
    actor = ACTORS.get(actor_word)
    if actor is None or (actor != actions.CHANCE and actor not in rules.colours):
        known = " ".join(["chance", *(COLOUR_LETTERS[colour] for colour in rules.colours)])
        raise NotationError(f"{actor_word[:20]!r} is not an actor of this game; known: {known}")
    if word in _ACTIONS:
        action = _ACTIONS[word]
        if actor == actions.CHANCE and action in actions.LEAVING:
            raise NotationError(f"chance {word}: expected a player, not chance")
        return Event(actor, action)
    verb, _, argument = word.partition(" ")
    if verb == "set_dice":
        return Event(actor, pack(actions.SET_DICE, _read_dice_code(argument)))
    if verb == "dead":
        return Event(actor, pack(actions.MARK_DEAD, rules.board.point(argument)))
    if verb == "white_passes" and re.fullmatch("[1-9][0-9]{0,8}", argument):
        return Event(actor, pack(actions.WHITE_PASSES, int(argument)))
    if verb == "match" and argument in actions.MATCH_GAMES:
        return Event(actor, pack(actions.MATCH, actions.MATCH_GAMES.index(argument)))
    return Event(actor, _read_outcome(rules, position, word) if actor == actions.CHANCE else rules.board.point(word))


def _read_dice_code(text: str) -> int:
    try:
        return read_dice(text).code
    except ValueError as error:
        raise NotationError(f"set_dice {text[:20]}: expected {error}") from None


def _read_outcome(rules: Rules, position: Position, word: str) -> int:
    """Return the CHANCE action for faces such as "2 5", or for "free". Raises NotationError for other words."""
    if not isinstance(rules, DicedRules):
        raise NotationError("not a game with dice")
    dice = rules.dice_of(position)
    faces = read_faces(word.split(" "), dice)
    return dice.outcome(faces) if faces else dice.free
