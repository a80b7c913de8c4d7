"""Variations that people try of a game they look at: events that might have followed one of its moments.

The server keeps none of them: whoever tries them out has them, and sends them along with each word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gtp_variants.errors import NotationError, RecordError, VariantsError
from gtp_variants.json_values import Json
from gtp_variants.players.participants import ELSEWHERE
from gtp_variants.players.table import Table
from gtp_variants.players.transcript import tell_all
from gtp_variants.records.notation import read_move
from gtp_variants.rules.actions import Event
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.web.page_game import PageGame
from gtp_variants.web.refusals import PageRefused

# Longer than anybody plays on to see what comes of it, and no longer than a message; as many as a person keeps apart.
_MOST_EVENTS, _MOST_BRANCHES, _MOST_PLAYS = 400, 100, 60
_LARGEST_ACTION = 2**40
_LONGEST_WORD = 10


@dataclass(frozen=True, slots=True)
class Branch:
    """What might have happened after the first `at` events of a game."""

    at: int
    events: tuple[Event, ...] = ()


def expect_finished(game: PageGame) -> None:
    """Check that a game may be looked at: nobody plays it here, where help would be unfair. Raises PageRefused."""
    hosted = game.hosted
    is_elsewhere = bool(hosted.rules.is_open) and all(each.kind == ELSEWHERE for each in hosted.seats.values())
    if not hosted.is_over and not is_elsewhere:
        raise PageRefused("page.no_analysis")


def read_branch(asked: Mapping[str, object]) -> Branch:
    """A branch of its moment `at` and its `events`, pairs of actor and action. Raises NotationError."""
    at, events = asked.get("at"), asked.get("events", [])
    if type(at) is not int or at < 0:
        raise NotationError("at: expected a number of events")
    if not isinstance(events, list) or len(events) > _MOST_EVENTS:
        raise NotationError(f"events: expected a list of at most {_MOST_EVENTS} pairs")
    return Branch(at, tuple(_read_event(each) for each in events))


def read_branches(asked: object) -> list[Branch]:
    """Several of them. Raises NotationError."""
    if not isinstance(asked, list) or len(asked) > _MOST_BRANCHES or not all(isinstance(each, dict) for each in asked):
        raise NotationError(f"branches: expected a list of at most {_MOST_BRANCHES} objects")
    return [read_branch(each) for each in asked]


def _read_event(value: object) -> Event:
    match value:
        case [int(actor), int(action)] if 0 <= actor < len(COLOUR_LETTERS) and abs(action) < _LARGEST_ACTION:
            return Event(actor, action)
    raise NotationError("events: expected pairs of actor and action")


def play_branch(base: Game, branch: Branch) -> Game:
    """The game in which a branch was played. Raises NotationError for no moment, RecordError for what cannot be."""
    if branch.at > len(base.events):
        raise NotationError("at: expected a number of events of this game")
    game = copy_game(base)
    game.cut(branch.at)
    for number, event in enumerate(branch.events, branch.at + 1):
        try:
            game.play(event.actor, event.action)
        except VariantsError as error:
            raise RecordError(f"event {number}: {error}") from error
    return game


def copy_game(game: Game) -> Game:
    """The game as it is now, for a thread of its own: nothing is played again, and who plays it on changes no copy."""
    copy = Game(game.rules, game.setup, game.first)
    copy.go_back(game.mark())
    return copy


def grow(base: Game, secret: bytes | str, branch: Branch, plays: Sequence[str]) -> Json:
    """A branch of a game with more moves played in it, and what would be told of all that is in it.

    Where dice are due they fall as by that secret. Raises VariantsError for what cannot be played.
    """
    played = play_branch(base, branch)
    table = Table.of(played, lambda: DiceStream(secret), {})
    for word in plays:
        table.play(table.position.mover, read_move(table.rules.board, word))
    position, events = table.position, played.events[branch.at :]
    if len(events) > _MOST_EVENTS:
        raise PageRefused("page.too_long")
    return {
        "type": "branch",
        "at": branch.at,
        "events": [[event.actor, event.action] for event in events],
        "news": tell_all(table, branch.at),
        "mover": None if table.rules.is_over(position) else COLOUR_LETTERS[position.mover],
    }


def read_plays(asked: object) -> Sequence[str]:
    """The moves to be played in a branch, in words. Raises NotationError."""
    if not isinstance(asked, list) or len(asked) > _MOST_PLAYS:
        raise NotationError(f"plays: expected at most {_MOST_PLAYS} moves")
    if not all(isinstance(word, str) and len(word) <= _LONGEST_WORD for word in asked):
        raise NotationError("plays: expected words")
    return asked
