"""How a tournament stands, from its results alone: a server that was killed goes on where they end.

A tournament as a file says it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gtp_variants.base import config_files as fields
from gtp_variants.base.config_files import Node, Reader, option, required
from gtp_variants.errors import PeerUnfit, SpecError
from gtp_variants.players.config_readers import DURATION, choice, scalar, whole
from gtp_variants.players.pairing import SwissStanding, pair_rounds
from gtp_variants.site.access.accounts import is_name
from gtp_variants.site.lobby.account_game import rules_to_host

SWISS, ROUND_ROBIN = "swiss", "round-robin"
_MOST_ENTRANTS = 200


def _time(word: str) -> datetime:
    try:
        found = datetime.fromisoformat(word)
    except ValueError:
        raise ValueError from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _spec(word: str) -> str:
    try:
        return rules_to_host(word).spec
    except (SpecError, PeerUnfit) as error:
        raise ValueError(str(error)) from None


def _read_names(node: Node) -> tuple[str, ...]:
    names = tuple(item.text() for item in node.items())
    wrong = next((name for name in names if not is_name(name)), None)
    if wrong is not None:
        node.refuse(f"{wrong}: expected names of accounts")
    if not 2 <= len({name.lower() for name in names}) == len(names) <= _MOST_ENTRANTS:
        node.refuse(f"expected 2 to {_MOST_ENTRANTS} names, each once")
    return names


_TIME = scalar("a time such as 2026-12-01T18:00, in UTC unless it says otherwise", _time)
_SPEC = scalar("a game such as aleago:size=9", _spec)
_NAMES = Reader("a list of names of accounts", _read_names, schema={"type": "array", "items": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Who plays what, when and how; `name` is that of the file."""

    name: str
    type: str = option("type", choice(SWISS, ROUND_ROBIN), SWISS, "round-robin: everybody meets everybody")
    spec: str = required("game", _SPEC, "expected a game such as aleago:size=9", "what is played")
    begins: datetime = required("begins", _TIME, "expected a time such as 2026-12-01T18:00", "when it begins, in UTC")
    players: tuple[str, ...] = option("players", _NAMES, (), "who plays; without it whoever is there when it begins")
    rounds: int = option("rounds", whole(1, 100), 5, "of a Swiss tournament")
    games: int = option("games", whole(1, 100), 2, "of each meeting; colours change from one to the next")
    wait_s: float = option("wait", DURATION, 180.0, "how long a game waits for somebody who is not there")


def load_plan(path: Path) -> TournamentPlan:
    """The tournament of a file. Raises ConfigError with every fault, and OSError."""
    node = fields.parse(fields.load(path), path.parent, str(path))
    if not is_name(path.stem):
        node.fault(f"{path.stem}: expected a file that is called as an account may be")
    plan = fields.read(TournamentPlan, node, name=path.stem)
    if node.faults:
        raise node.error()
    return plan


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """One game of a tournament: its round and number in a meeting, both from 1."""

    round: int
    leg: int
    black: str
    white: str

    @property
    def key(self) -> str:
        """The game within its tournament, such as 3.1."""
        return f"{self.round}.{self.leg}"


# What Black took of a game, and White: they may both have taken nothing.
Points = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Taken:
    """What the players of a game took, as a Swiss standing reads it."""

    players: tuple[str, str]
    points: Points

    def score(self, player: str) -> float:
        """What a player took."""
        return self.points[self.players.index(player)]


class Tournament:
    """A tournament that has begun, with those who entered it, in the order of their seeds."""

    def __init__(self, plan: TournamentPlan, entrants: Sequence[str]) -> None:
        self.plan = plan
        self.entrants = tuple(entrants)
        self.results: dict[TournamentGame, Points] = {}
        self.round = 0
        self._games: list[TournamentGame] = []
        self._swiss = SwissStanding(self.entrants, plan.games / 2) if plan.type == SWISS else None
        self._rounds = pair_rounds(self.entrants)
        self._go_on()

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return self.plan.rounds if self._swiss is not None else len(self._rounds)

    @property
    def is_over(self) -> bool:
        """Whether all games are decided."""
        return not self._games

    @property
    def due(self) -> list[TournamentGame]:
        """The games of this round that are not decided."""
        return [game for game in self._games if game not in self.results]

    def decide(self, game: TournamentGame, points: Points) -> None:
        """A game of this round is decided; what is decided already stays."""
        if game in self._games and game not in self.results:
            self.results[game] = points
            self._go_on()

    def replay(self, results: Mapping[tuple[str, str, str], Points]) -> None:
        """Decide what was decided before: by key, Black and White."""
        while known := [game for game in self.due if (game.key, game.black, game.white) in results]:
            for game in known:
                self.decide(game, results[game.key, game.black, game.white])

    @property
    def byes(self) -> list[tuple[int, str, float]]:
        """The rounds of a Swiss tournament in which somebody sat out: the round, who, and their points for it."""
        if self._swiss is None:
            return []
        return sorted((number, name, self._swiss.pairs) for name, each in self._swiss.byes.items() for number in each)

    def standing(self) -> list[tuple[str, float, int]]:
        """Names with their points and games, the leaders first; who sat out has half of a meeting's points."""
        points, games = defaultdict[str, float](float), defaultdict[str, int](int)
        for game, taken in self.results.items():
            for name, score in zip((game.black, game.white), taken, strict=True):
                points[name] += score
                games[name] += 1
        for _, name, given in self.byes:
            points[name] += given
        order = sorted(self.entrants, key=lambda name: (-points[name], self.entrants.index(name)))
        return [(name, points[name], games[name]) for name in order]

    def _go_on(self) -> None:
        """Begin the next round as soon as this one is decided."""
        while not self.due:
            if self._swiss is not None:
                for game in self._games:
                    self._swiss.add(_Taken((game.black, game.white), self.results[game]))
            if self.round == self.rounds:
                self._games = []
                return
            meetings = self._swiss.pair_up() if self._swiss is not None else self._rounds[self.round]
            self.round += 1
            self._games = [game for meeting in meetings for game in self._games_of(*meeting)]

    def _games_of(self, one: str, other: str) -> Iterator[TournamentGame]:
        # Whose colour comes first changes from round to round where the meetings do not say it.
        swaps = self._swiss is not None and self.round % 2 == 0
        for leg in range(1, self.plan.games + 1):
            black, white = (one, other) if (leg % 2 == 1) != swaps else (other, one)
            yield TournamentGame(self.round, leg, black, white)
