"""Go Fantôme: whole games in which everything sounds as a seat heard it.

Where the other's stones were put is guessed and mended by a `Mender`, in the native kernel where it was built. The
rules play the game that comes out: they have the last word.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, cast

from gtp_variants.belief.observations import Kind, Story
from gtp_variants.belief.repair import Mender, never
from gtp_variants.errors import GameOver, VariantsError
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

if TYPE_CHECKING:
    from gtp_variants.rules.games.phantom import PhantomPosition, PhantomRules

# The first attempt at a guess takes so many steps after each piece of news that sounds wrong; in the end so many for
# each piece of news, and so many at least. Every second attempt takes twice as many, every fourth four times as many,
# and so on, this many attempts: most guesses that are not mended soon never are, but some need long.
_FIRST, _STEPS, _LEAST_STEPS, _ATTEMPTS = 100, 25, 200, 64


class Guess:
    """A game that was guessed.

    `wrong` says how wrong everything heard so far would have sounded in all: 0 if it agrees with every sentence.
    """

    __slots__ = ("_like", "_mender", "_positions", "_story")

    def __init__(self, story: Story) -> None:
        self._story = story
        self._mender: Mender = story.told.mender() if story.told else Mender(story)
        # The positions of the game as far as it was played by the rules since a stone was changed.
        self._positions: list[PhantomPosition] = []
        # Where that of another guess stood, and where this one then stands.
        self._like: tuple[PhantomPosition, PhantomPosition] | None = None

    def copy(self) -> "Guess":
        """Another guess that is the same so far."""
        other = Guess.__new__(Guess)
        other._story, other._like = self._story, self._like
        other._mender, other._positions = self._mender.copy(), self._positions.copy()
        return other

    def go_on(self, rng: Rng, steps: int = 0, enough: Callable[[], bool] = never) -> None:
        """Guess what happened in all that was heard since, or until it is `enough`; see `Mender.go_on`."""
        self._mender.go_on(rng, steps, enough)

    def mend(self, rng: Rng, steps: int, enough: Callable[[], bool] = never) -> bool:
        """Take so many steps, fewer if nothing is wrong any more or it is `enough`; whether nothing is."""
        return self._mender.mend(rng, steps, enough)

    def stir(self, rng: Rng, steps: int, enough: Callable[[], bool] = never) -> None:
        """Let his stones change places at random so many times, or until it is `enough`; what is right stays so."""
        self._mender.stir(rng, steps, enough)

    @property
    def wrong(self) -> int:
        return self._mender.wrong

    @property
    def stones(self) -> int:
        """His stones at the end."""
        return self._mender.stones

    def agrees(self) -> bool:
        """Whether nothing sounds wrong, and the rules allow it.

        After each piece of news the rules play one guess that agrees, which shows what is wrong with the news itself.
        Where nothing but stones is hidden all that agree then differ in stones only.
        """
        story = self._story
        if self.wrong or self._mender.heard < len(story.ticks):
            return False
        if story.example is not None and story.hides_stones_only(story.example):
            return True
        if not self._is_played():
            return False
        story.example = self._positions[-1]
        return True

    @property
    def position(self) -> "PhantomPosition":
        """The position at the end of a game that agrees."""
        self._forget_what_changed()
        story, example = self._story, self._story.example
        assert example is not None
        if len(self._positions) > len(story.ticks):
            return self._positions[-1]
        if not story.hides_stones_only(example):
            if not self._is_played():
                raise GameOver("no position was found that agrees with all the news")
            return self._positions[-1]
        if self._like is None or self._like[0] is not example:
            self._like = example, self._position_like(example)
        return self._like[1]

    def _position_like(self, example: "PhantomPosition") -> "PhantomPosition":
        """The position at the end: in all but the stones of now and before it is like that of another guess."""
        story, last = self._story, example.last
        boards = self._mender.boards([*story.times, story.last, len(story.ticks)])
        if last is not None and last.action >= 0 and last.actor != story.colour:
            last = Event(last.actor, self._mender.point(story.last))
        history = story.rules.repetition_rule.history_of(zip(boards, story.makers, story.by_placing, strict=False))
        return replace(example, stones=boards[-1], before=boards[-2], last=last, history=history)

    def _forget_what_changed(self) -> None:
        """Positions are those of the guess as it was; from the first stone on that was put elsewhere they are not."""
        ticks, changed = self._story.ticks, self._mender.changed
        if changed < len(ticks):
            del self._positions[0 if ticks[changed].kind is Kind.SEATED else changed + 1 :]
            self._like = None
            self._mender.changed = len(ticks)

    def _is_played(self) -> bool:
        """Play the game by the rules; whether they allow it and it sounds like what was heard."""
        self._forget_what_changed()
        ticks, rules, colour = self._story.ticks, self._story.rules, self._story.colour
        if not self._positions:
            self._positions.append(self._start())
        for time in range(len(self._positions) - 1, len(ticks)):
            tick, before = ticks[time], self._positions[-1]
            if tick.kind is Kind.SEATED:
                self._positions.append(before)
                continue
            event = self._event(time)
            try:
                after = rules.play(before, event.action, event.actor)
            except VariantsError:
                return False
            if rules.hears(before, event, after, colour) != tick.news:
                return False
            self._positions.append(after)
        return True

    def game(self) -> Game:
        """The game, played by the rules."""
        start, ticks = self._start(), self._story.ticks
        setup = {point: colour for point, colour in enumerate(start.stones) if colour}
        events = [self._event(time) for time, tick in enumerate(ticks) if tick.kind is not Kind.SEATED]
        return Game.replay(
            cast("Rules", self._story.rules), events, setup, start.mover if self._story.seating else None
        )

    def _start(self) -> "PhantomPosition":
        seating = self._story.seating
        if seating is None:
            return self._story.rules.start()
        ticks = enumerate(self._story.ticks)
        theirs = (self._mender.point(time) for time, tick in ticks if tick.kind is Kind.SEATED)
        colour = self._story.colour
        setup = dict.fromkeys(seating.placed, colour) | dict.fromkeys(theirs, 3 - colour)
        return self._story.rules.start(setup, seating.to_play)

    def _event(self, time: int) -> Event:
        news = self._story.ticks[time].news
        return Event(news.actor, self._mender.point(time) if news.action is None else news.action)


def imagined(story: Story, rng: Rng, enough: Callable[[], bool] = never) -> Guess:
    """A guess that agrees with all that was heard.

    `enough` is asked now and then whether to give up. Raises GameOver then, or after very many steps.
    """
    steps = max(_LEAST_STEPS, _STEPS * len(story.ticks))
    for attempt in range(1, _ATTEMPTS + 1):
        guess, times = Guess(story), attempt & -attempt
        guess.go_on(rng, times * _FIRST, enough)
        if guess.mend(rng, times * steps, enough):
            guess.stir(rng, len(story.slots), enough)
            if guess.agrees():
                return guess
        if enough():
            raise GameOver("no position was found in time that agrees with all the news")
    raise GameOver("no position was found that agrees with all the news")


def sample_position(rules: "PhantomRules", view: View, rng: Random) -> "PhantomPosition":
    """A position that agrees with everything a seat heard; what `Rules.imagine` answers.

    Raises GameOver if none was found in very many steps.
    """
    story = Story(rules, view.colour)
    for news in view.news:
        story.hear(news)
    return imagined(story, Rng(rng.getrandbits(64))).position
