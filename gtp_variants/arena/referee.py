"""The referee: one game at a table, played to an outcome, a forfeit, a verdict at the move limit, or nothing.

A bot that raises, answers nonsense or breaks the rules loses that game, and it is said how. Ours is the only record,
the only score and the only dice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import index
from time import perf_counter
from traceback import extract_tb
from typing import Any

from gtp_variants.arena.config import GameSettings
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import PeerError, VariantsError
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.record import MAX_EVENTS, Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, FORFEIT, PASS, RESIGN, SWAP, WHITE
from gtp_variants.rules.dice import DiceStream
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

ILLEGAL, CRASH = "illegal", "crash"


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game lost by a failure: of which colour, its kind and what happened, in words.

    `kind` is "illegal", "time", "crash", "hang" or "protocol".
    """

    colour: int
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game came out.

    `kind` is "played", "forfeit", "adjudicated" (at the move limit) or "void". `outcome` is None only for a void game.
    `failures` are what went wrong, the one that lost the game first; after the end a failure costs nothing.
    """

    kind: str
    outcome: Outcome | None
    failures: tuple[Forfeit, ...] = ()
    why: str = ""


class _Failure(Exception):
    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.why)
        self.forfeit = forfeit


class _Watched:
    """A player whose every failure is known to be its own, and whose thinking is timed."""

    def __init__(self, colour: int, player: Player) -> None:
        self.colour = colour
        self.player = player
        self.thought_s = 0.0

    def _call(self, name: str, *arguments: object) -> Any:
        start = perf_counter()
        try:
            return getattr(self.player, name)(*arguments)
        except PeerError as error:
            raise _Failure(Forfeit(self.colour, error.failure, str(error))) from error
        except (Exception, SystemExit) as error:
            raise _Failure(Forfeit(self.colour, CRASH, f"in {name}: {_said(error)}")) from error
        finally:
            self.thought_s += perf_counter() - start

    def sit(self, rules: Rules[Any], colour: int, seed: str) -> None:
        self._call("sit", rules, colour, seed)

    def hear(self, news: News) -> None:
        self._call("hear", news)

    def choose(self, view: View, clock: Clock) -> int:
        answer = self._call("choose", view, clock)
        try:
            action = None if isinstance(answer, bool) else index(answer)
        except Exception:
            action = None
        if action is None:
            raise _Failure(Forfeit(self.colour, ILLEGAL, f"chose {_shown(answer)}, which is no action"))
        # What is left of the actions are agreements and departures that no single player may decide.
        if action < 0 and action not in (PASS, SWAP, RESIGN):
            raise _Failure(Forfeit(self.colour, ILLEGAL, f"chose action {action}, which is not a player's to take"))
        return action

    def leave(self, outcome: Outcome | None) -> None:
        self._call("leave", outcome)


def _said(error: BaseException) -> str:
    last = extract_tb(error.__traceback__)[-1:]
    where = f" ({last[0].filename.rpartition('/')[2]}, line {last[0].lineno})" if last else ""
    return f"{type(error).__name__}: {_shown(error, str)}{where}"


def _shown(value: object, form: Any = repr) -> str:
    """A value in words, even if it does not want to be."""
    try:
        text = " ".join(str(form(value)).split())
    except Exception:
        text = f"a {type(value).__name__} without a name"
    return text if len(text) <= 200 else text[:197] + "..."


class Referee:
    """One game: a table, its players and the limits it is played under."""

    def __init__(
        self, table: Table, players: Mapping[int, Player], seeds: Mapping[int, str], game: GameSettings
    ) -> None:
        self.table = table
        self.game = game
        self.seeds = seeds
        self.players = {colour: _Watched(colour, player) for colour, player in players.items()}
        self._failures: list[Forfeit] = []
        self._tries = (0, 0)  # the turn, and how often its player acted in it

    def run(self) -> Verdict:
        """Play the game to its end."""
        try:
            for colour, player in self.players.items():
                self.table.seat(colour, player, self.seeds[colour])
            while self.table.asked() is not None and not self._at_limit():
                self._step()
        except _Failure as failure:
            self._forfeit(failure.forfeit)
        verdict = self._verdict()
        self._close(verdict.outcome)
        if not self._failures:
            return verdict
        return replace(verdict, failures=tuple(self._failures), why=verdict.why or self._failures[0].why)

    def _step(self) -> None:
        table = self.table
        colour = table.asked()
        assert colour is not None
        turn = int(table.position.turn)
        self._tries = (turn, self._tries[1] + 1 if self._tries[0] == turn else 1)
        action = table.choose(colour)
        # Each point can be refused once in a turn, and after passes each side agrees once.
        if self._tries[1] > len(table.rules.board) + 2:
            raise _Failure(Forfeit(colour, ILLEGAL, "tries the same refused points again and again"))
        try:
            table.answer(colour, action)
        except VariantsError as error:
            raise _Failure(Forfeit(colour, ILLEGAL, f"chose {self._word(action)}: {error}")) from error

    def _word(self, action: int) -> str:
        board = self.table.rules.board
        if 0 <= action < len(board):
            return board.vertex(action)
        return {PASS: "pass", SWAP: "swap", RESIGN: "resign"}.get(action, f"point {action}")

    def _at_limit(self) -> bool:
        # Room for the last events is left in the record.
        events = len(self.table.game.events)
        return bool(self.table.position.turn > self.game.move_limit) or events > MAX_EVENTS - 16

    def _forfeit(self, forfeit: Forfeit) -> None:
        self._failures.append(forfeit)
        if self.table.is_final:
            return
        try:
            self.table.play(forfeit.colour, FORFEIT)
        except _Failure as failure:
            self._failures.append(failure.forfeit)

    def _verdict(self) -> Verdict:
        table = self.table
        if table.is_final:
            outcome = table.game.outcome
            by_forfeit = outcome is not None and outcome.how == "forfeit"
            return Verdict("forfeit" if by_forfeit else "played", outcome)
        why = f"stopped at the limit of {self.game.move_limit} moves"
        standing = table.rules.standing(table.position) if self.game.on_move_limit == "score" else None
        if standing is not None:
            return Verdict("adjudicated", standing, why=why)
        if self.game.on_move_limit == "draw":
            return Verdict("adjudicated", Outcome(None, "score"), why=why)
        return Verdict("void", None, why=why)

    def _close(self, outcome: Outcome | None) -> None:
        for player in self.table.seats.values():
            try:
                player.leave(outcome)
            except _Failure as failure:
                self._failures.append(failure.forfeit)


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game as one row of a table. `winner` is a player's name, None for a draw or a void game.

    `result` is as in an SGF `RE`; `failures` are player, kind and words; `thought_s` is by player.
    """

    id: str
    matchup: str
    pair: int
    leg: str
    black: str
    white: str
    kind: str
    result: str
    winner: str | None
    moves: int
    thought_s: Mapping[str, float]
    failures: tuple[tuple[str, str, str], ...] = ()
    why: str = ""

    @property
    def is_void(self) -> bool:
        """Whether the game counts for nobody."""
        return self.kind == "void"


def play(fixture: Fixture) -> tuple[Played, Record]:
    """Play one game of a match. The same fixture gives the same game, times apart. Raises ConfigError for no bot."""
    rules = parse(fixture.game.spec)
    dice = DiceStream(fixture.secret)
    table = Table(rules, lambda: dice)
    players = {colour: bots.load(bot) for colour, bot in zip((BLACK, WHITE), fixture.bots, strict=True)}
    seeds = {colour: fixture.seat_seed(colour) for colour in players}
    referee = Referee(table, players, seeds, fixture.game)
    verdict = referee.run()
    outcome = verdict.outcome
    row = Played(
        fixture.id,
        fixture.matchup,
        fixture.pair,
        fixture.leg,
        *fixture.players,
        verdict.kind,
        outcome.sgf if outcome else "void",
        fixture.player(outcome.winner) if outcome and outcome.winner is not None else None,
        int(table.position.turn) - 1,
        {fixture.player(colour): round(seat.thought_s, 3) for colour, seat in referee.players.items()},
        tuple((fixture.player(each.colour), each.kind, each.why) for each in verdict.failures),
        verdict.why,
    )
    return row, _record(fixture, table, dice, row)


def _record(fixture: Fixture, table: Table, dice: DiceStream, row: Played) -> Record:
    thrown = any(event.actor == CHANCE and event.action >= 0 for event in table.game.events)
    said = [f"{fixture.id}: {row.result}"] if row.kind == "adjudicated" else [f"{fixture.id}"]
    said += [row.why] if row.why else []
    return Record(
        table.game,
        dice="secret" if thrown else None,
        commitment=dice.commitment if thrown else None,
        secret=dice.secret if thrown else None,
        players={colour: fixture.player(colour) for colour in table.rules.colours},
        comment=", ".join(said),
    )
