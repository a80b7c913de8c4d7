"""Lessons: the first ten moves of a game, played on the page against a script.

A lesson is a file `lessons/NAME.toml`. It has a `spec`, the learner's `colour`, the stones of the `setup`, the events
`before` the first step, and the `steps`. A step has the move to `play`, the events in `reply`, and a text per language.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.lang import load
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.transcript import NoSeat, Transcript
from gtp_variants.records.notation import read_event
from gtp_variants.records.record import Record
from gtp_variants.records.state import describe_for_seat
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.colour_names import COLOUR_WORDS
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules


@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step: the learner's move ("pass" or a vertex), the events that follow, as words, and the text by language."""

    play: str
    reply: tuple[str, ...]
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The contents of a lesson file. In `setup`, colours and vertices alternate."""

    spec: str
    colour: str
    setup: tuple[str, ...]
    before: tuple[str, ...]
    steps: tuple[LessonStep, ...]

    def begin(self, lang: str) -> Game:
        """Return the game before its first event."""
        rules = parse(self.spec, {"lang": lang})
        pairs = zip(self.setup[::2], self.setup[1::2], strict=True)
        stones = {rules.board.point(vertex): COLOUR_WORDS[colour] for colour, vertex in pairs}
        return Game(rules, stones, COLOUR_WORDS[self.colour] if stones else None)


@cache
def find_lesson(name: str) -> Lesson | None:
    """Return the lesson of a game, if it has one."""
    file = Path(__file__).parent / "lessons" / f"{name}.toml"
    if not file.is_file():
        return None
    given = load(file)
    steps = (
        LessonStep(each["play"], tuple(each["reply"]), {key: each[key] for key in ("en", "fr")})
        for each in given["steps"]
    )
    setup, before = tuple(given.get("setup", "").split()), tuple(given.get("before", ()))
    return Lesson(given["spec"], given["colour"], setup, before, tuple(steps))


def describe_lesson(lesson: Lesson, lang: str) -> Json:
    """Return a lesson as JSON, as the learner's seat knows it.

    `news` has the news items before the first step. Each of `steps` has its `text`, the move to `play`, the `news` that
    follow, and the current `draw` and `legal` points before the move. `end` is a sentence that states the outcome.
    """
    game = lesson.begin(lang)
    rules = game.rules
    # Play these first: a table that is waiting for dice would throw them itself.
    _play(game, rules, lesson.before)
    hosted = HostedGame.new(Record(game), {})
    transcript = Transcript(hosted.table, NoSeat.ALL if rules.is_open else COLOUR_WORDS[lesson.colour])
    told: Json = {
        "spec": rules.spec,
        "title": rules.title,
        "you": lesson.colour,
        "setup": transcript.setup,
        "news": transcript.catch_up(),
        "steps": [],
    }
    for step in lesson.steps:
        state = _state(hosted, lesson.colour)
        _play(game, rules, [f"{lesson.colour} {step.play}", *step.reply])
        told["steps"].append({"text": step.text[lang], "play": step.play, "news": transcript.catch_up(), **state})
    outcome = game.outcome
    return {**told, "end": "" if outcome is None else outcome.sentence(lang)}


def _play(game: Game, rules: Rules, events: "list[str] | tuple[str, ...]") -> None:
    for text in events:
        actor, _, word = text.partition(" ")
        event = read_event(rules, game.position, actor, word)
        game.play(event.actor, event.action)


def _state(hosted: HostedGame, letter: str) -> Json:
    """Return the facts of the position shown to the learner: the draw, and the points that need marks."""
    table, colour = hosted.table, COLOUR_WORDS[letter]
    position = table.position
    legal = [action for action in table.rules.actions(position) if action == PASS or action >= 0]
    view = table.view(colour)
    known = describe_for_seat(table.game, view, legal)
    return {key: known[key] for key in ("draw", "legal", "losing", "immune", "captures") if key in known}
