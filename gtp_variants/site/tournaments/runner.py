"""Runs tournaments between logged-in players: begins their games, and scores absences."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gtp_variants.base.database import Database
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import Guest, LoginStage
from gtp_variants.site.lobby.lobby import Lobby, Pair
from gtp_variants.site.tournaments.standing import Points, Tournament, TournamentGame, TournamentPlan

_SCHEMA = """\
create table if not exists tournaments (
    name        text primary key,
    entrants    text not null,      -- JSON, in the order of their seeds
    begun       text not null default (datetime('now'))
) without rowid;
create table if not exists forfeits (
    event   text not null,          -- the tournament, round and number of the game
    black   text not null,
    white   text not null,
    points  real not null,          -- Black's
    against real not null,          -- White's
    primary key (event, black, white)
) without rowid;
"""
_POINTS = {"B": (1.0, 0.0), "W": (0.0, 1.0), "D": (0.5, 0.5)}


class TournamentStore:
    """The tournaments in a server's database. Every method raises OSError if it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.run_script(_SCHEMA)

    def entrants(self, name: str) -> list[str] | None:
        """Return the entrants of a tournament; None if it has not begun."""
        rows = self._database.rows("select entrants from tournaments where name = ?", (name,))
        return None if not rows else [str(each) for each in json.loads(rows[0][0])]

    def begin(self, name: str, entrants: Sequence[str]) -> None:
        """Write the entrants of a tournament that begins."""
        with self._database.transaction(f"the tournament {name}") as connection:
            row = (name, json.dumps(list(entrants)))
            connection.execute("insert into tournaments (name, entrants) values (?, ?)", row)

    def forfeit(self, name: str, game: TournamentGame, points: Points) -> None:
        """Write the points of a game decided by absence."""
        values = (f"{name} {game.key}", game.black, game.white, *points)
        with self._database.transaction(f"the tournament {name}") as connection:
            connection.execute("insert or ignore into forfeits values (?, ?, ?, ?, ?)", values)

    def results(self, name: str) -> dict[tuple[str, str, str], Points]:
        """Return the points of decided games, by key, Black and White."""
        found: dict[tuple[str, str, str], Points] = {}
        beginning = f"{name} "
        games = self._database.rows(
            "select event, black, white, result from matches where substr(event, 1, ?) = ? and result <> ''",
            (len(beginning), beginning),
        )
        for event, black, white, result in games:
            points = points_of(result)
            if points is not None:
                found[event.removeprefix(beginning), black, white] = points
        query = "select * from forfeits where substr(event, 1, ?) = ?"
        forfeits = self._database.rows(query, (len(beginning), beginning))
        for event, black, white, points, against in forfeits:
            found[event.removeprefix(beginning), black, white] = (points, against)
        return found


def points_of(result: str) -> Points | None:
    """Return the points a result gives Black and White; None if the game is to be replayed."""
    return _POINTS.get(result[:1])


@dataclass(slots=True)
class _Running:
    """A tournament in progress, with its running games by number and the start of each wait for absent players."""

    tournament: Tournament
    on: dict[int, TournamentGame] = field(default_factory=dict)
    waits_since_s: dict[TournamentGame, float] = field(default_factory=dict)
    told_round: int = 0


class Tournaments:
    """The tournaments of a lobby: `plans` begin when their time comes, or continue after a restart."""

    def __init__(
        self,
        lobby: Lobby,
        plans: Iterable[TournamentPlan],
        store: TournamentStore,
        log: Callable[[str], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Load the tournaments of the store. Raises OSError."""
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

    def pair(self) -> set[str]:
        """Begin the games that can begin; return all entrants, who are not to be paired otherwise."""
        for plan in list(self._plans):
            if plan.begins <= self._now():
                self._plans.remove(plan)
                self._begin(plan)
        for running in list(self._running):
            self._play(running)
        return {name for running in self._running for name in running.tournament.entrants}

    def finish(self, game: AccountGame) -> None:
        """Score a finished game of the lobby if it belongs to a tournament."""
        for running in self._running:
            mine = running.on.pop(game.number, None)
            points = points_of(game.result)
            if mine is not None and points is not None:
                running.tournament.decide(mine, points)
        self._end_those_over()

    def _begin(self, plan: TournamentPlan) -> None:
        # The plan may spell names in another case than the accounts.
        known = {name.lower(): name for name in self._lobby.guests}
        entrants = [known.get(name.lower(), name) for name in plan.players] or self._find_entrants(plan)
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
        """Return the connected players who can play the game, the strongest first."""
        guests = [guest for guest in self._lobby.guests.values() if self._lobby.offered.can_play(guest, plan.spec)]
        return sorted((guest.name for guest in guests), key=lambda name: -self._lobby.account(name).rating)

    def _play(self, running: _Running) -> None:
        tournament = running.tournament
        if running.told_round != tournament.round:
            running.told_round = tournament.round
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

    def _find_guest(self, name: str) -> Guest | None:
        """Return the connected player of a name, ignoring case."""
        guests = self._lobby.guests
        return guests.get(name) or next((each for word, each in guests.items() if word.lower() == name.lower()), None)

    def _waits(self, name: str, spec: str) -> bool:
        guest = self._find_guest(name)
        return guest is not None and guest.stage == LoginStage.WAITING and self._lobby.offered.can_play(guest, spec)

    def _end_those_over(self) -> None:
        for running in [each for each in self._running if each.tournament.is_over]:
            self._running.remove(running)
            self.over.append(running.tournament)
            standing = running.tournament.standing()
            places = "; ".join(f"{rank} {name} {points:g}" for rank, (name, points, _) in enumerate(standing, 1))
            self._tell(running.tournament, f"over: {places}")

    def _tell(self, tournament: Tournament, text: str) -> None:
        said = f"tournament {tournament.plan.name}: {text}"
        self._log(said)
        for name in tournament.entrants:
            guest = self._find_guest(name)
            if guest is not None:
                guest.say(f"info {said}")
