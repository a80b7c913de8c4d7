"""Many whole games of Go Fantôme that agree with what a seat hears, kept from one piece of news to the next."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, cast

from gtp_variants.errors import ConfigError
from gtp_variants.rules.game import Game
from gtp_variants.rules.imagining import Guess, imagined, never
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.story import Story
from gtp_variants.rules.views import News

if TYPE_CHECKING:
    from gtp_variants.rules.phantom import PhantomPosition, PhantomRules

# Steps of one attempt to mend a guess; steps that make a copy another guess.
_STEPS, _STIR = 250, 60


class Worlds:
    """Games that agree with all a seat heard: each goes on with the news, and those that no longer fit are mended.

    `asked` is how many are wanted, `attempts` how often each that no longer fits is tried to be mended after a piece
    of news, before it gives way to a copy of another; more only while there is none at all. What comes out depends on
    the seed and these numbers, never on the time. Raises ConfigError for a number below 1, or for a game that hides
    nothing.
    """

    def __init__(self, rules: Rules[Any], colour: int, asked: int = 32, seed: int | str = 0, attempts: int = 4) -> None:
        faults = [f"{name}={n}: expected 1 or more" for name, n in (("asked", asked), ("attempts", attempts)) if n < 1]
        if rules.is_open:
            faults.append(f"{rules.name}: nothing is hidden in this game")
        if faults:
            raise ConfigError(faults)
        self.asked = asked
        self._attempts = attempts
        self._rng = Random(seed)
        self._story = Story(cast("PhantomRules", rules), colour)
        first = Guess(self._story, self._rng)
        self._guesses = [first.copy() for _ in range(asked)]
        self._made = False

    def hear(self, news: News) -> None:
        """Let every game go on with what was heard."""
        self._story.hear(news)
        for guess in self._guesses:
            guess.go_on(self._rng)
        self._made = False

    @property
    def found(self) -> int:
        """How many different boards the games have come to, of as many as were asked for."""
        return len({position.stones for position in self.positions()})

    def positions(self, enough: Callable[[], bool] = never) -> "Sequence[PhantomPosition]":
        """Where the games stand, as many as were asked for; where fewer were found some are there several times.

        `enough` is asked again and again whether to leave it at those there are. Raises GameOver if none was found
        until then, or in very many steps; the next call goes on with what was reached.
        """
        if not self._made:
            self._make(enough)
            self._made = True
        return [guess.position for guess in self._guesses]

    def games(self) -> list[Game]:
        """The games themselves, each played anew by the rules."""
        self.positions()
        return [guess.game() for guess in self._guesses]

    def stones(self) -> tuple[float, ...]:
        """The share of the games in which the other's stone stands on each point."""
        self.positions()
        return tuple(
            sum(guess.stones >> point & 1 for guess in self._guesses) / len(self._guesses)
            for point in range(len(self._story.rules.board))
        )

    def _make(self, enough: Callable[[], bool]) -> None:
        """Mend the guesses that do not fit, or put copies of others in their place."""
        rng = self._rng
        good: list[Guess] = []
        bad: list[Guess] = []
        for guess in self._guesses:
            (good if guess.agrees() else bad).append(guess)
        for _ in range(self._attempts * len(bad)):
            if not bad or (good and enough()):
                break
            guess = bad.pop(0)
            (good if guess.mend(rng, _STEPS) and guess.agrees() else bad).append(guess)
        if not good:
            good.append(imagined(self._story, rng, enough))
        sources = len(good)
        for _ in bad:
            copy = good[rng.randrange(sources)].copy()
            copy.stir(rng, _STIR)
            good.append(copy if copy.agrees() else good[rng.randrange(sources)].copy())
        self._guesses = good
