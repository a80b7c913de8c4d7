"""Tournaments on the server: plans read from files, rounds and standings, and the games."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gtp_variants.base import config_files as fields
from gtp_variants.base.config_files import Node, Reader, option, required
from gtp_variants.base.database import Database
from gtp_variants.base.json_values import Json
from gtp_variants.errors import PeerUnfit, SpecError
from gtp_variants.players.config_readers import DURATION, choice, scalar, whole
from gtp_variants.players.pairing import SwissStanding, pair_rounds
from gtp_variants.site.access.accounts import BOT, GUEST, is_name
from gtp_variants.site.lobby.account_game import AccountGame, rules_to_host
from gtp_variants.site.lobby.guests import LoginStage
from gtp_variants.site.lobby.lobby import Lobby, Pair

SWISS, ROUND_ROBIN = "swiss", "round-robin"
# Maximum entrants, and maximum finished tournaments in the lobby.
_MOST_ENTRANTS, _MOST_OVER = 200, 5


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
    """The plan of a tournament. `name` is the name of its file without the extension."""

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
    """One game of a tournament. `round`, and `leg` within a meeting of two players, count from 1."""

    round: int
    leg: int
    black: str
    white: str

    @property
    def key(self) -> str:
        """The key of the game in its tournament, such as 3.1 for round 3, leg 1."""
        return f"{self.round}.{self.leg}"


# The points of Black and White; both may have 0.
Points = tuple[float, float]


class Tournament:
    """A tournament that has begun. `entrants` are in seed order."""

    def __init__(self, plan: TournamentPlan, entrants: Sequence[str]) -> None:
        self.plan = plan
        self.entrants = tuple(entrants)
        self.results: dict[TournamentGame, Points] = {}
        self.round = 0
        # The standing, and the numbers of results and rounds for which it holds.
        self._standing: tuple[tuple[int, int], list[tuple[str, float, int]]] | None = None
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
        """Record the points from a game in this round, unless it has been decided already."""
        if game in self._games and game not in self.results:
            self.results[game] = points
            self._go_on()

    def replay(self, results: Mapping[tuple[str, str, str], Points]) -> None:
        """Apply stored results, each under its game key, Black and White."""
        while known := [game for game in self.due if (game.key, game.black, game.white) in results]:
            for game in known:
                self.decide(game, results[game.key, game.black, game.white])

    @property
    def byes(self) -> list[tuple[int, str, float]]:
        """The byes of a Swiss tournament, as tuples of round, player and points."""
        if self._swiss is None:
            return []
        return sorted((number, name, self._swiss.pairs) for name, each in self._swiss.byes.items() for number in each)

    def standing(self) -> list[tuple[str, float, int]]:
        """Return each entrant's name, points and games played, leaders first. A bye earns half a meeting's points."""
        state = len(self.results), self.round
        if self._standing is None or self._standing[0] != state:
            self._standing = state, self._add_up()
        return self._standing[1]

    def _add_up(self) -> list[tuple[str, float, int]]:
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
        """Begin the next round once this round is decided."""
        while not self.due:
            if self._swiss is not None:
                for game in self._games:
                    black, white = self.results[game]
                    self._swiss.add({game.black: black, game.white: white})
            if self.round == self.rounds:
                self._games = []
                return
            meetings = self._swiss.pair_up() if self._swiss is not None else self._rounds[self.round]
            self.round += 1
            self._games = [game for meeting in meetings for game in self._games_of(*meeting)]

    def _games_of(self, one: str, other: str) -> Iterator[TournamentGame]:
        # In a round robin the pairing decides who begins; in a Swiss tournament this alternates by round.
        swaps = self._swiss is not None and self.round % 2 == 0
        for leg in range(1, self.plan.games + 1):
            black, white = (one, other) if (leg % 2 == 1) != swaps else (other, one)
            yield TournamentGame(self.round, leg, black, white)


_RESULTS = Path(__file__).with_name("tournament_results.sql")
# The points of Black and White by the first letter of a result. After any other result the game is played again.
_POINTS = {"B": (1.0, 0.0), "W": (0.0, 1.0), "D": (0.5, 0.5)}


class TournamentStore:
    """The tournaments in a server's database. Every method raises OSError if the database cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entrants(self, name: str) -> list[str] | None:
        """Return the entrants of a tournament, or None if it has not begun."""
        rows = self._database.rows("select entrants from tournaments where name = ?", (name,))
        return None if not rows else [str(each) for each in json.loads(rows[0][0])]

    def begin(self, name: str, entrants: Sequence[str]) -> None:
        """Store the entrants of a tournament when it begins."""
        row = (name, json.dumps(list(entrants)))
        self._database.write(f"the tournament {name}", "insert into tournaments (name, entrants) values (?, ?)", row)

    def forfeit(self, name: str, game: TournamentGame, points: Points) -> None:
        """Store the points of a game decided because a player was absent."""
        values = (f"{name} {game.key}", game.black, game.white, *points)
        self._database.write(f"the tournament {name}", "insert or ignore into forfeits values (?, ?, ?, ?, ?)", values)

    def results(self, name: str) -> dict[tuple[str, str, str], Points]:
        """Return the points of the decided games, each under its game key, Black and White."""
        decided = self._database.rows(_RESULTS.read_text(encoding="utf-8"), {"name": name})
        return {(key, black, white): (one, other) for key, black, white, one, other in decided}


@dataclass(slots=True)
class _Running:
    """A tournament in progress. `on` has its running games by number; `waits_since_s` is the start of each wait."""

    tournament: Tournament
    on: dict[int, TournamentGame] = field(default_factory=dict)
    waits_since_s: dict[TournamentGame, float] = field(default_factory=dict)
    told_round: int = 0


class Tournaments:
    """The tournaments of a lobby. Each plan begins at its time, or continues after a restart."""

    def __init__(
        self,
        lobby: Lobby,
        plans: Iterable[TournamentPlan],
        store: TournamentStore,
        log: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Load the tournaments of the store. Raises OSError if it cannot be read."""
        self._lobby = lobby
        self._store = store
        self._log = log
        self._now = now
        self._plans: list[TournamentPlan] = []
        self._running: list[_Running] = []
        self.over: list[Tournament] = []
        for plan in plans:
            entrants = store.entrants(plan.name)
            if entrants is None:
                self._plans.append(plan)
            else:
                self._resume(plan, entrants)
        lobby.matchmakers.append(self)

    @property
    def all(self) -> list[Tournament]:
        """The tournaments that have begun, the latest first."""
        return [*(each.tournament for each in self._running), *reversed(self.over)]

    def describe(self) -> list[Json]:
        """Return the tournaments to come, in progress and over, with who may play, or who plays in the order of places.

        `round` is 0 before the beginning.
        """
        begun = [*(each.tournament for each in self._running), *self.over[: -_MOST_OVER - 1 : -1]]
        rounds = [(plan, 0, 0, False, plan.players) for plan in self._plans]
        rounds += [
            (it.plan, it.round, it.rounds, it.is_over, tuple(name for name, *_ in it.standing())) for it in begun
        ]
        keys = ("name", "spec", "begins", "round", "rounds", "over", "players")
        return [
            dict(zip(keys, (plan.name, plan.spec, plan.begins.isoformat(), *more), strict=True))
            for plan, *more in rounds
        ]

    def _resume(self, plan: TournamentPlan, entrants: Sequence[str]) -> None:
        tournament = Tournament(plan, entrants)
        tournament.replay(self._store.results(plan.name))
        if tournament.is_over:
            self.over.append(tournament)
            return
        running = _Running(tournament)
        by_key = {(f"{plan.name} {game.key}", game.black, game.white): game for game in tournament.due}
        for game in self._lobby.running.values():
            mine = by_key.get((game.event, game.names[1], game.names[2]))
            if mine is not None:
                running.on[game.number] = mine
        self._running.append(running)

    @property
    def reserved(self) -> set[str]:
        """All entrants of the tournaments in progress, in lower case: they must begin no other games."""
        return {name.lower() for running in self._running for name in running.tournament.entrants}

    def pair(self) -> None:
        """Begin the games that can begin."""
        for plan in list(self._plans):
            if plan.begins <= self._now():
                self._plans.remove(plan)
                self._begin(plan)
        for running in list(self._running):
            self._play(running)

    def finish(self, game: AccountGame) -> None:
        """Score a finished game of the lobby if it belongs to a tournament."""
        for running in self._running:
            mine = running.on.pop(game.number, None)
            points = _POINTS.get(game.result[:1])
            if mine is not None and points is not None:
                running.tournament.decide(mine, points)
        self._end_those_over()

    def forget(self, name: str) -> None:
        """Forget a deleted account, which has another name in the store."""
        for place, old in enumerate(self.over):
            if name in old.entrants:
                self.over[place] = Tournament(old.plan, self._store.entrants(old.plan.name) or ())
                self.over[place].replay(self._store.results(old.plan.name))

    def _begin(self, plan: TournamentPlan) -> None:
        # The plan may write names in a different case, so use the accounts' names.
        here = {name: self._lobby.guests.find(name) for name in plan.players}
        entrants = [each.name if each else name for name, each in here.items()] or self._find_entrants(plan)
        if len(entrants) < 2:
            self._log(f"tournament {plan.name} cannot begin: fewer than two players are here")
            return
        try:
            self._store.begin(plan.name, entrants)
        except OSError as error:
            self._log(f"tournament {plan.name} is delayed: {error}")
            self._plans.append(plan)
            return
        self._log(f"tournament {plan.name} begins: {', '.join(entrants)}")
        self._running.append(_Running(Tournament(plan, entrants)))

    def _find_entrants(self, plan: TournamentPlan) -> list[str]:
        """Return the connected bots and people who can play the game, the strongest first."""
        played = self._lobby.offered.find_needs(plan.spec)[0]
        guests = (guest for guest in self._lobby.guests.values() if self._lobby.offered.can_play(guest, plan.spec))
        # A person who only looks at the lobby would forfeit every game; a bot asks for its next game by itself.
        stays = (each for each in guests if each.kind != GUEST)
        entrants = (each for each in stays if each.kind == BOT or each.stage != LoginStage.OVER)
        strength = {guest.name: self._lobby.accounts.rating(guest.name, played).value for guest in entrants}
        return sorted(strength, key=lambda name: -strength[name])

    def _play(self, running: _Running) -> None:
        tournament = running.tournament
        if running.told_round != tournament.round:
            running.told_round = tournament.round
            self._lobby.note_presence()
            self._tell(tournament, f"round {tournament.round} of {tournament.rounds} begins")
        is_on = set(running.on.values())
        for game in tournament.due:
            if game not in is_on and not self._lobby.entrance.is_draining:
                self._begin_or_decide(running, game)
        self._end_those_over()

    def _begin_or_decide(self, running: _Running, game: TournamentGame) -> None:
        lobby, plan = self._lobby, running.tournament.plan
        names = (game.black, game.white)
        if any(lobby.running.find_with(name) is not None for name in names):
            running.waits_since_s.pop(game, None)
            return
        are_there = [self._waits(name, plan.spec) for name in names]
        if all(are_there):
            running.waits_since_s.pop(game, None)
            begun = lobby.begin(Pair(plan.spec, *names), f"{plan.name} {game.key}")
            running.on[begun.number] = game
            return
        since_s = running.waits_since_s.setdefault(game, time.monotonic())
        if time.monotonic() - since_s < plan.wait_s:
            return
        points = (float(are_there[0]), float(are_there[1]))
        try:
            self._store.forfeit(plan.name, game, points)
        except OSError as error:
            self._log(str(error))
            return
        absent = " and ".join(name for name, is_there in zip(names, are_there, strict=True) if not is_there)
        self._log(f"tournament {plan.name}: {absent} not there for {game.key}, {game.black} against {game.white}")
        del running.waits_since_s[game]
        running.tournament.decide(game, points)

    def _waits(self, name: str, spec: str) -> bool:
        guest = self._lobby.guests.find(name)
        return guest is not None and guest.stage == LoginStage.WAITING and self._lobby.offered.can_play(guest, spec)

    def _end_those_over(self) -> None:
        for running in [each for each in self._running if each.tournament.is_over]:
            self._running.remove(running)
            self._lobby.note_presence()
            self.over.append(running.tournament)
            standing = running.tournament.standing()
            places = "; ".join(f"{rank} {name} {points:g}" for rank, (name, points, _) in enumerate(standing, 1))
            self._tell(running.tournament, f"over: {places}")

    def _tell(self, tournament: Tournament, text: str) -> None:
        said = f"tournament {tournament.plan.name}: {text}"
        self._log(said)
        for guest in filter(None, map(self._lobby.guests.find, tournament.entrants)):
            guest.say(f"info {said}")
