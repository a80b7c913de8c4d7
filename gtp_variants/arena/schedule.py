"""The games of a match. Each is a matchup, a pair and a leg; all that is random in it follows from that and a seed.

So a game that is played again is the same game, and games may be played in any order on any number of processes. The
two legs of a pair have the same dice; the colours are swapped.
"""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass

from gtp_variants.arena.config import GameSettings, MatchConfig
from gtp_variants.rules.actions import BLACK, WHITE

LEGS = ("a", "b")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game that is to be played. `players` and `bots` are in the order Black, White; `pair` counts from 1."""

    matchup: str
    pair: int
    leg: str
    seed: str
    players: tuple[str, str]
    bots: tuple[str, str]
    game: GameSettings

    @property
    def pair_id(self) -> str:
        """Such as mine-greedy/0007: what the two legs have in common."""
        return f"{self.matchup}/{self.pair:04}"

    @property
    def id(self) -> str:
        """Such as mine-greedy/0007b; also the name of its record."""
        return self.pair_id + self.leg

    @property
    def secret(self) -> bytes:
        """Of the dice: 32 bytes, the same in both legs of a pair."""
        return derive(self.seed, "dice", self.pair_id)

    def seat_seed(self, colour: int) -> str:
        """Where everything random in one player's thinking comes from; tells nothing of the dice."""
        return derive(self.seed, "seat", self.id, str(colour)).hex()

    def player(self, colour: int) -> str:
        """Who plays a colour."""
        return self.players[(BLACK, WHITE).index(colour)]


def derive(seed: str, *about: str) -> bytes:
    """32 bytes that follow from a seed and what they are for."""
    return hmac.digest(seed.encode(), "\n".join(about).encode(), hashlib.sha256)


def fixtures(config: MatchConfig) -> Iterator[Fixture]:
    """Every game of a match, pair by pair: the first pair of each matchup, then the second."""
    for pair in range(1, max((matchup.pairs for matchup in config.matchups), default=0) + 1):
        for matchup in config.matchups:
            if pair > matchup.pairs:
                continue
            first, second = matchup.players
            for leg, players in zip(LEGS, ((first, second), (second, first)), strict=True):
                bots = (config.players[players[0]], config.players[players[1]])
                yield Fixture(matchup.id, pair, leg, config.seed, players, bots, matchup.game)
