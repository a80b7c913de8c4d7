"""Many whole games of Go Fantôme that agree with what a seat hears, kept from one piece of news to the next."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, cast

from gtp_variants.belief.hypothesis import Guess, imagined
from gtp_variants.belief.observations import Story
from gtp_variants.belief.repair import never
from gtp_variants.errors import ConfigError, GameOver, NotationError
from gtp_variants.rng import Rng
from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

if TYPE_CHECKING:
    from gtp_variants.rules.games.phantom import PhantomPosition, PhantomRules

# Steps of one attempt to mend a guess; steps that make a copy another guess, and those of every other guess after a
# piece of news; how wrong a guess is that is not kept.
_STEPS, _COPY, _STIR, _FAR = 250, 60, 60, 6


class Worlds:
    """Games that agree with all a seat heard: each goes on with the news, and those that no longer fit are mended.

    `asked` is how many are wanted, `attempts` how often each that no longer fits is tried to be mended after a piece
    of news, before it gives way to a copy of another; more only while there is none at all. What comes out depends on
    the seed, these numbers and after which news it was asked for; on the time only if whoever asks says `enough` by it.
    Only one thread may use them. Raises ConfigError for a number below 1, or for a game that hides nothing.
    """

    def __init__(self, rules: Rules, colour: int, asked: int = 32, seed: int | str = 0, attempts: int = 4) -> None:
        faults = [f"{name}={n}: expected 1 or more" for name, n in (("asked", asked), ("attempts", attempts)) if n < 1]
        if rules.is_open:
            faults.append(f"{rules.name}: nothing is hidden in this game")
        if faults:
            raise ConfigError(faults)
        self.asked = asked
        self._attempts = attempts
        self._seed = seed
        self._heard: list[News] = []
        self._rng = Rng(Random(seed).getrandbits(64))
        self._story = Story(cast("PhantomRules", rules), colour)
        self._guesses = [Guess(self._story) for _ in range(asked)]
        # Those of the guesses that agree, as many as were asked for; None as long as nobody asked since the last news.
        self._agreeing: list[Guess] | None = None

    def hear(self, news: News) -> None:
        """Take in one piece of news; the games go on when somebody asks for them."""
        self._heard.append(news)
        self._story.hear(news)
        self._agreeing = None

    def __reduce__(self) -> tuple[Callable[..., "Worlds"], tuple[Any, ...]]:
        """A copy has heard the same, and begins to look for games anew."""
        story = self._story
        return _again, (story.rules, story.colour, self.asked, self._seed, self._attempts, self._heard)

    @property
    def found(self) -> int:
        """How many different boards the games have come to, of as many as were asked for."""
        return len({position.stones for position in self.positions()})

    def positions(self, enough: Callable[[], bool] = never) -> "Sequence[PhantomPosition]":
        """Where the games stand, as many as were asked for; where fewer were found some are there several times.

        `enough` is asked again and again whether to leave it at those there are. Raises GameOver if none was found
        until then, or in very many steps; the next call goes on with what was reached.
        """
        return [guess.position for guess in self._made(enough)]

    def games(self) -> list[Game]:
        """The games themselves, each played anew by the rules."""
        return [guess.game() for guess in self._made()]

    def stones(self) -> tuple[float, ...]:
        """The share of the games in which the other's stone stands on each point."""
        guesses = self._made()
        return tuple(
            sum(guess.stones >> point & 1 for guess in guesses) / len(guesses)
            for point in range(len(self._story.rules.board))
        )

    def nearest(self, to_play: int | None = None) -> "PhantomPosition":
        """The board of the game that comes nearest to what was heard, with us to move if not told; it has no history.

        Stones of the other's that would leave a chain without a liberty are left out. Raises GameOver if our own stones
        cannot stand as we heard that they do.
        """
        board, colour = self._story.rules.board, self._story.colour
        own, his = self._story.own[-1], min(self._guesses, key=lambda guess: guess.wrong).stones
        stones = bytearray(colour if own >> point & 1 else EMPTY for point in range(len(board)))
        for point in range(len(board)):
            if his & ~own & 1 << point:
                stones[point] = 3 - colour
                around = [point, *(near for near in board.neighbours[point] if stones[near])]
                if not all(liberties(board, stones, chain(board, stones, near)) for near in around):
                    stones[point] = EMPTY
        setup = {point: there for point, there in enumerate(stones) if there}
        try:
            return self._story.rules.start(setup, to_play or colour)
        except NotationError as error:
            raise GameOver(f"no position agrees with the news: {error}") from None

    def _made(self, enough: Callable[[], bool] = never) -> list[Guess]:
        """The guesses that agree, as many as were asked for."""
        if self._agreeing is None:
            good = self._make(enough)
            self._agreeing = [good[index % len(good)] for index in range(self.asked)]
        return self._agreeing

    def _make(self, enough: Callable[[], bool]) -> list[Guess]:
        """The guesses that agree, after the others were mended, the nearest first, or gave way to copies.

        What is not done when it is enough stays for the next time.
        """
        good, bad = self._divide()
        try:
            self._mend(good, bad, enough)
            if not good:
                good.append(imagined(self._story, self._rng, enough))
                bad.remove(max(bad, key=lambda guess: guess.wrong))
            # The first stays as the rules have played it, which spares them the beginning of its game.
            for guess in good[1:]:
                guess.stir(self._rng, _STIR, enough)
            self._replace(good, bad, enough)
        finally:
            self._guesses = [*good, *bad]
        return good

    def _divide(self) -> tuple[list[Guess], list[Guess]]:
        """The guesses that agree with what was heard since, and the others."""
        good: list[Guess] = []
        bad: list[Guess] = []
        for guess in self._guesses:
            guess.go_on(self._rng)
            (good if guess.agrees() else bad).append(guess)
        return good, bad

    def _mend(self, good: list[Guess], bad: list[Guess], enough: Callable[[], bool]) -> None:
        """Try to mend the bad guesses; those that agree then go over to the good ones."""
        for _ in range(self._attempts):
            for guess in sorted(bad, key=lambda guess: guess.wrong):
                if enough():
                    return
                if guess.mend(self._rng, _STEPS, enough) and guess.agrees():
                    bad.remove(guess)
                    good.append(guess)

    def _replace(self, good: list[Guess], bad: list[Guess], enough: Callable[[], bool]) -> None:
        """Put copies of good guesses, changed as far as they may be, in the place of bad ones."""
        rng, sources = self._rng, len(good)
        bad.sort(key=lambda guess: guess.wrong)
        while bad and not enough():
            copy = good[rng.below(sources)].copy()
            copy.stir(rng, _COPY, enough)
            good.append(copy if copy.agrees() else good[rng.below(sources)].copy())
            bad.pop()
        # In a hurry those that are far from agreeing are not worth their mending.
        for guess in [guess for guess in bad if guess.wrong > _FAR]:
            bad.remove(guess)
            good.append(good[rng.below(sources)].copy())


def _again(rules: Rules, colour: int, asked: int, seed: int | str, attempts: int, heard: list[News]) -> Worlds:
    worlds = Worlds(rules, colour, asked, seed, attempts)
    for news in heard:
        worlds.hear(news)
    return worlds
