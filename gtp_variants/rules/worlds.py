"""Many whole games of Go Fantôme that agree with what a seat hears, kept from one piece of news to the next."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, cast

from gtp_variants.errors import ConfigError, GameOver
from gtp_variants.rules.clues import Clues
from gtp_variants.rules.game import Game
from gtp_variants.rules.imagining import Attempt, World
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

if TYPE_CHECKING:
    from gtp_variants.rules.phantom import PhantomPosition, PhantomRules

# Where no game is left: so many attempts more, then so many times a number of steps back that doubles so often.
_MORE_ATTEMPTS, _FAILURES, _DOUBLINGS = 60, 100, 7
# One attempt in so many starts with nothing but the news.
_FRESH = 8


def _never() -> bool:
    return False


class Worlds:
    """Games that agree with all a seat heard: each goes on with the news, and those that cannot are replaced.

    `asked` is how many are wanted, `attempts` how many replacements are tried after each piece of news for each game
    that no longer fits; more are made only while there is no game at all. What comes out depends on the seed and these
    numbers, never on the time. Raises ConfigError for a number below 1, or for a game that hides nothing.
    """

    def __init__(self, rules: Rules[Any], colour: int, asked: int = 32, seed: int | str = 0, attempts: int = 4) -> None:
        faults = [f"{name}={n}: expected 1 or more" for name, n in (("asked", asked), ("attempts", attempts)) if n < 1]
        if rules.is_open:
            faults.append(f"{rules.name}: nothing is hidden in this game")
        if faults:
            raise ConfigError(faults)
        self.asked = asked
        self._rules = cast("PhantomRules", rules)
        self._colour = colour
        self._attempts = attempts
        self._rng = Random(seed)
        self._news: list[News] = []
        self._worlds: list[World] = []
        # How the games stood before, and after how much of the news.
        self._kept: list[tuple[int, list[World]]] = []
        # How much of the news the games agree with: all, unless they were set back.
        self._count = 0
        # Games that agreed with the beginning of that.
        self._past: list[World] = []
        self._made = False
        self._step_back(0)

    def hear(self, news: News) -> None:
        """Let every game go on with what was heard."""
        if self._count == len(self._news):
            self._go_on(news)
        self._news.append(news)
        self._made = False

    def _go_on(self, news: News) -> None:
        going = []
        for world in self._worlds:
            if world.go_on(self._rules, self._colour, news, self._rng):
                going.append(world)
            else:
                self._past.append(world)
        self._worlds = going
        self._count += 1

    @property
    def found(self) -> int:
        """How many different boards the games have come to, of as many as were asked for."""
        return len({position.stones for position in self.positions()})

    def positions(self, enough: Callable[[], bool] = _never) -> "Sequence[PhantomPosition]":
        """Where the games stand, as many as were asked for; where fewer were found some are there several times.

        `enough` is asked again and again whether to leave it at those there are; if all had to be set back, the next
        call goes on with that. Raises GameOver if none was found so far, or in very many attempts.
        """
        self._make(enough)
        return [world.positions[-1] for world in self._worlds]

    def games(self) -> list[Game]:
        """The games themselves, each played anew by the rules."""
        self._make()
        return [world.game(self._rules, self._news) for world in self._worlds]

    def stones(self) -> tuple[float, ...]:
        """The share of the games in which the other's stone stands on each point."""
        positions = self.positions()
        other = 3 - self._colour
        return tuple(
            sum(position.stones[point] == other for position in positions) / len(positions)
            for point in range(len(self._rules.board))
        )

    def _make(self, enough: Callable[[], bool] = _never) -> None:
        """Replace the games that no longer fit; where none is left step back and let other things happen."""
        if self._made:
            return
        self._replace(enough)
        failures = tries = furthest = 0
        while not self._worlds or self._count < len(self._news):
            if failures == _FAILURES or enough():
                raise GameOver("no position was found that agrees with all the news")
            if not self._worlds:
                # Further back each time it fails here, in the end to the start; then the same again.
                tries = tries + 1 if self._count <= furthest else 0
                furthest = max(furthest, self._count) if failures else 0
                self._step_back(2 << tries % _DOUBLINGS)
                failures += 1
            self._go_on(self._news[self._count])
            self._replace(_never)
            self._keep()
        self._keep()
        self._made = True

    def _keep(self) -> None:
        """Remember the games as they stand, to step back to."""
        if self._worlds and (not self._kept or self._kept[-1][0] < self._count):
            self._kept.append((self._count, [world.copy() for world in self._worlds]))

    def _step_back(self, steps: int) -> None:
        """Make the games what they were so many times ago."""
        del self._kept[max(0, len(self._kept) - steps) :]
        self._past.clear()
        self._count, kept = self._kept[-1] if self._kept else (0, [])
        self._worlds = [world.copy() for world in kept] or [World([self._rules.start()]) for _ in range(self.asked)]

    def _replace(self, enough: Callable[[], bool]) -> None:
        """Make new games of those that went wrong, then copies; none is left if that cannot be done."""
        missing = self.asked - len(self._worlds)
        if not missing:
            return
        clues = Clues(self._rules, self._colour, self._news[: self._count])
        past = self._past
        self._rng.shuffle(past)
        wanted = self._attempts * missing
        for number in range(wanted + _MORE_ATTEMPTS):
            if len(self._worlds) == self.asked or (self._worlds and (number >= wanted or enough())):
                break
            old = past.pop(0) if past and number % _FRESH != _FRESH - 1 else None
            attempt = Attempt(clues, self._rng, old)
            world = attempt.run()
            if world is not None:
                self._worlds.append(world)
            elif old is not None:
                past.append(attempt.longest(old))
        if self._worlds:
            past.clear()
            sources = self._worlds.copy()
            self._worlds += (self._rng.choice(sources).copy() for _ in range(self.asked - len(sources)))
