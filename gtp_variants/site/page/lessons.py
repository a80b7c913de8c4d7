"""Lessons: the first ten moves of a game, played on the page against a script.

A lesson is a file `lessons/NAME.toml`. It has a `spec`, the learner's `colour`, the stones of the `setup`, the events
`before` the first step, and the `steps`. A step has the move to `play` ("pass" or a vertex), the events in `reply`, and
a text per language. In `setup` colours and vertices alternate. Other events are a colour and a move.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.lang import load
from gtp_variants.players.table import Table
from gtp_variants.players.transcript import NoSeat, Transcript
from gtp_variants.records.notation import read_event
from gtp_variants.records.state import describe_for_seat
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules


@cache
def find_lesson(name: str) -> Json | None:
    """Return the lesson of the game called `name` as in its file, or None if it has no lesson."""
    file = Path(__file__).parent / "lessons" / f"{name}.toml"
    return load(file) if file.is_file() else None


def describe_lesson(lesson: Json, lang: str) -> Json:
    """Return a lesson as JSON, as the learner's seat knows it.

    `news` has the news items before the first step. Each of `steps` has its `text`, the move to `play`, the `news` that
    follow, and facts about the position before the move. `end` is a sentence that states the outcome, perhaps "".
    """
    rules, setup = parse(lesson["spec"], {"lang": lang}), lesson.get("setup", "").split()
    pairs = zip(setup[::2], setup[1::2], strict=True)
    stones = {rules.board.point(vertex): COLOUR_WORDS[colour] for colour, vertex in pairs}
    you = lesson["colour"]
    game = Game(rules, stones, COLOUR_WORDS[you] if stones else None)
    # Play these events before making a table, because a table throws dice that are due.
    _play(game, rules, lesson.get("before", ()))
    table = Table.of(game, DiceStream, {})
    transcript = Transcript(table, NoSeat.ALL if rules.is_open else COLOUR_WORDS[you])
    told: Json = {
        "spec": rules.spec,
        "title": rules.title,
        "you": you,
        "setup": transcript.setup,
        "news": transcript.catch_up(),
        "steps": [],
    }
    for step in lesson["steps"]:
        state, play = _state(table, you), step["play"]
        _play(game, rules, [f"{you} {play}", *step["reply"]])
        told["steps"].append({"text": step[lang], "play": play, "news": transcript.catch_up(), **state})
    outcome = game.outcome
    return {**told, "end": "" if outcome is None else outcome.sentence(lang)}


def _play(game: Game, rules: Rules, events: Iterable[str]) -> None:
    for text in events:
        actor, _, word = text.partition(" ")
        event = read_event(rules, game.position, actor, word)
        game.play(event.actor, event.action)


def _state(table: Table, letter: str) -> Json:
    """Return the facts shown to the learner: the throw, the legal moves, and points to mark, such as captures."""
    legal = [action for action in table.rules.actions(table.position) if action == PASS or action >= 0]
    known = describe_for_seat(table.game, table.view(COLOUR_WORDS[letter]), legal)
    return {key: known[key] for key in ("draw", "legal", "losing", "immune", "captures") if key in known}
