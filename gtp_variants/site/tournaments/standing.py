"""A tournament: its plan from a file, and its rounds and standing, which follow from the results alone."""

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
        node.refuse(f"{wrong}: expected an account name")
    if not 2 <= len({name.lower() for name in names}) == len(names) <= _MOST_ENTRANTS:
        node.refuse(f"expected 2 to {_MOST_ENTRANTS} names, each once")
    return names


_TIME = scalar("a time such as 2026-12-01T18:00, in UTC unless it says otherwise", _time)
_SPEC = scalar("a game such as aleago:size=9", _spec)
_NAMES = Reader("a list of account names", _read_names, schema={"type": "array", "items": {"type": "string"}})


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The plan of a tournament; `name` is that of the file."""

    name: str
    type: str = option("type", choice(SWISS, ROUND_ROBIN), SWISS, "round-robin: everybody meets everybody")
    spec: str = required("game", _SPEC, "expected a game such as aleago:size=9", "what is played")
    begins: datetime = required("begins", _TIME, "expected a time such as 2026-12-01T18:00", "when it begins, in UTC")
    players: tuple[str, ...] = option("players", _NAMES, (), "who plays; without it whoever is there when it begins")
    rounds: int = option("rounds", whole(1, 100), 5, "of a Swiss tournament")
    games: int = option("games", whole(1, 100), 2, "of each meeting; colours change from one to the next")
    wait_s: float = option("wait", DURATION, 180.0, "how long a game waits for somebody who is not there")


def load_plan(path: Path) -> TournamentPlan:
    """Return the plan in a file. Raises ConfigError with every fault, or OSError."""
    node = fields.parse(fields.load(path), path.parent, str(path))
    if not is_name(path.stem):
        node.fault(f"{path.stem}: expected a file name that is valid as an account name")
    plan = fields.read(TournamentPlan, node, name=path.stem)
    if node.faults:
        raise node.error()
    return plan


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """One game of a tournament, with its round and its number in the meeting, both from 1."""

    round: int
    leg: int
    black: str
    white: str

    @property
    def key(self) -> str:
        """The key of the game in its tournament, such as 3.1."""
        return f"{self.round}.{self.leg}"


# The points of Black and White; both may have 0.
Points = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Taken:
    """The points of a game as a Swiss standing reads them."""

    players: tuple[str, str]
    points: Points

    def score(self, player: str) -> float:
        return self.points[self.players.index(player)]


class Tournament:
    """A tournament in progress; `entrants` are in the order of their seeds."""

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
        return self.plan.rounds if self._swiss is not None else len(self._rounds)

    @property
    def is_over(self) -> bool:
        """True if all games are decided."""
        return not self._games

    @property
    def due(self) -> list[TournamentGame]:
        """The undecided games of this round."""
        return [game for game in self._games if game not in self.results]

    def decide(self, game: TournamentGame, points: Points) -> None:
        """Decide a game of this round, unless it is decided already."""
        if game in self._games and game not in self.results:
            self.results[game] = points
            self._go_on()

    def replay(self, results: Mapping[tuple[str, str, str], Points]) -> None:
        """Apply earlier decisions, by key, Black and White."""
        while known := [game for game in self.due if (game.key, game.black, game.white) in results]:
            for game in known:
                self.decide(game, results[game.key, game.black, game.white])

    @property
    def byes(self) -> list[tuple[int, str, float]]:
        """The byes of a Swiss tournament: round, player and points."""
        if self._swiss is None:
            return []
        return sorted((number, name, self._swiss.pairs) for name, each in self._swiss.byes.items() for number in each)

    def standing(self) -> list[tuple[str, float, int]]:
        """Return names, points and games, the leaders first; a bye gives half of the points of a meeting."""
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
        """Begin the next round once this one is decided."""
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
        # In a round robin the pairing decides who begins; in a Swiss tournament it alternates by round.
        swaps = self._swiss is not None and self.round % 2 == 0
        for leg in range(1, self.plan.games + 1):
            black, white = (one, other) if (leg % 2 == 1) != swaps else (other, one)
            yield TournamentGame(self.round, leg, black, white)
