"""The referee: one game at a table, played to an outcome, a forfeit, a verdict at the move limit, or nothing.

A player that raises, answers nonsense, breaks the rules, overstays or is lost loses that game, and it is said how. Of
three players the others play on. Ours is the only record, the only score, the only clock and the only dice.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from operator import index
from pathlib import Path
from time import monotonic
from traceback import extract_tb
from typing import Any, Protocol

from gtp_variants.arena.config import openings
from gtp_variants.arena.config.match_config import (
    NO_CLOCK,
    NO_LIMITS,
    BotConfig,
    GameSettings,
    ProgramConfig,
    TimeLimits,
    overtime_words,
)
from gtp_variants.arena.result_row import CRASH, HANG, ILLEGAL, TIME, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import PeerError, VariantsError
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.clock import NO_LIMIT, Clock
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.record import MAX_EVENTS, Record, Time
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, FLAG, FORFEIT, PASS, RESIGN, SWAP, TURN, Event
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

_MOST_SHOWN = 400
_MOST_SAID = 20_000


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game lost by a failure: of which colour, one of `played.FAILURES`, and what happened, in words."""

    colour: int
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class RefereeVerdict:
    """How a game came out.

    `kind` is "played", "forfeit", "adjudicated" (at the move limit) or "void". `outcome` is None only for a void game.
    `failures` are what went wrong, the one that lost the game first; after the end a failure costs nothing.
    """

    kind: str
    outcome: Outcome | None
    failures: tuple[Forfeit, ...] = ()
    why: str = ""


class GameObserver(Protocol):
    """Who can tell what went on when the process that plays a game is gone."""

    def asking(self, colour: int, until: float) -> None:
        """A player is asked and ought to answer before this time of the monotonic clock."""
        ...

    def answered(self) -> None:
        """Nobody is asked any more."""
        ...

    def saw(self, events: Sequence[Event]) -> None:
        """All that has happened so far."""
        ...


class NullObserver:
    """No witness."""

    def asking(self, colour: int, until: float) -> None:
        """Nothing."""

    def answered(self) -> None:
        """Nothing."""

    def saw(self, events: Sequence[Event]) -> None:
        """Nothing."""


class _Failure(Exception):
    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.why)
        self.forfeit = forfeit


class _Watched:
    """A player whose every failure is known to be its own, and whose thinking is timed.

    Programs keep their deadlines themselves; of a bot in this process only the witness can tell that it does not come
    back.
    """

    def __init__(self, colour: int, player: Player, limits: TimeLimits, witness: GameObserver) -> None:
        self.colour = colour
        self.limits = limits
        self.thought_s = 0.0
        self.slowest_s = 0.0
        self._player = player
        self._witness = witness
        self._is_program = isinstance(player, GtpPlayer)
        self._has_sat = False
        self._has_failed = False

    def _call(self, name: str, within_s: float, *arguments: object) -> Any:
        self._witness.asking(self.colour, inf if self._is_program else monotonic() + within_s)
        try:
            return getattr(self._player, name)(*arguments)
        except PeerError as error:
            raise self._failure(error.failure, f"in {name}: {_shown(error, str)}") from error
        except (Exception, SystemExit) as error:
            raise self._failure(CRASH, f"in {name}: {_said(error)}") from error
        finally:
            self._witness.answered()

    def _failure(self, kind: str, why: str) -> _Failure:
        self._has_failed = True
        return _Failure(Forfeit(self.colour, kind, why))

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Come to the table."""
        self._has_sat = True
        self._call("sit", self.limits.startup_s, rules, colour, seed)

    def hear(self, news: News) -> None:
        """Be told something."""
        self._call("hear", self.limits.command_s, news)

    def choose(self, view: View, clock: Clock) -> int:
        """An action that a player may take, chosen in time."""
        has_clock = clock.longest_s < inf
        most_s = clock.longest_s + self.limits.margin_s if has_clock else self.limits.command_s
        start = monotonic()
        try:
            answer = self._call("choose", most_s, view, clock)
        finally:
            spent_s = monotonic() - start
            self.thought_s += spent_s
            self.slowest_s = max(self.slowest_s, spent_s)
        # A program is asked several things for a move, each of which has its deadline.
        if spent_s > most_s and (has_clock or not self._is_program):
            allowed = f"had {clock.longest_s:.3f} s left" if has_clock else f"may take {most_s:g} s"
            raise self._failure(TIME if has_clock else HANG, f"took {spent_s:.3f} s for a move, {allowed}")
        return self._action(answer)

    def _action(self, answer: object) -> int:
        try:
            action = None if isinstance(answer, bool) else index(answer)  # type: ignore[arg-type]
        except Exception:
            action = None
        if action is None:
            raise self._failure(ILLEGAL, f"chose {_shown(answer)}, which is no action")
        # What is left of the actions are agreements and departures that no single player may decide.
        if action < 0 and action not in (PASS, SWAP, RESIGN):
            raise self._failure(ILLEGAL, f"chose action {action}, which is not a player's to take")
        return action

    def leave(self, outcome: Outcome | None) -> None:
        """Go. Who has failed before does not fail again."""
        if not self._has_sat:
            return
        had_failed = self._has_failed
        try:
            self._call("leave", self.limits.command_s, outcome)
        except _Failure:
            if not had_failed:
                raise


def _said(error: BaseException) -> str:
    last = extract_tb(error.__traceback__)[-1:]
    where = f" ({Path(last[0].filename).name}, line {last[0].lineno})" if last else ""
    return f"{type(error).__name__}: {_shown(error, str)}{where}"


def _shown(value: object, form: Any = repr) -> str:
    """A value in words, even if it does not want to be."""
    try:
        text = " ".join(str(form(value)).split())
    except Exception:
        text = f"a {type(value).__name__} without a name"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


class Referee:
    """One game: a table, its players and the limits it is played under."""

    def __init__(
        self,
        table: Table,
        players: Mapping[int, Player],
        seeds: Mapping[int, str],
        game: GameSettings,
        limits: Mapping[int, TimeLimits] | None = None,
        witness: GameObserver | None = None,
    ) -> None:
        self.table = table
        self.game = game
        self.seeds = seeds
        self._witness = witness or NullObserver()
        limits = limits or {}
        self.players = {
            colour: _Watched(colour, player, limits.get(colour, NO_LIMITS), self._witness)
            for colour, player in players.items()
        }
        table.clocks.update({colour: Clock.full(each.control) for colour, each in limits.items()})
        # Number of the event -> what the clock showed of it.
        self.times: dict[int, Time] = {}
        self._failures: list[Forfeit] = []
        self._tries = (0, 0)  # the turn, and how often its player acted in it

    def run(self) -> RefereeVerdict:
        """Play the game to its end."""
        self._sit()
        while (colour := self.table.asked()) is not None and not self._at_limit():
            player, since = self.players[colour], len(self.table.game.events)
            before_s = player.thought_s
            try:
                self._step(colour)
            except _Failure as failure:
                self._forfeit(failure.forfeit)
            self._note_time(colour, since, player.thought_s - before_s)
            self._witness.saw(self.table.game.events)
        verdict = self._verdict()
        self._close(verdict.outcome)
        if not self._failures:
            return verdict
        return replace(verdict, failures=tuple(self._failures), why=verdict.why or self._failures[0].why)

    def _sit(self) -> None:
        for colour, player in self.players.items():
            try:
                self.table.seat(colour, player, self.seeds[colour])
            except _Failure as failure:
                self._forfeit(failure.forfeit)
            if self.table.is_final:
                return

    def _step(self, colour: int) -> None:
        table = self.table
        player = self.players[colour]
        turn = int(table.position.turn)
        self._tries = (turn, self._tries[1] + 1 if self._tries[0] == turn else 1)
        before_s = player.thought_s
        action = table.choose(colour)
        table.clocks[colour] = table.clocks.get(colour, NO_LIMIT).after(player.thought_s - before_s)
        if self.game.try_limit is not None and self._tries[1] > self.game.try_limit and not table.suspended:
            raise _Failure(Forfeit(colour, ILLEGAL, f"tried more often than {self.game.try_limit} times in a turn"))
        try:
            table.answer(colour, action)
        except VariantsError as error:
            raise _Failure(Forfeit(colour, ILLEGAL, f"chose {self._word(action)}: {error}")) from error

    def _note_time(self, colour: int, since: int, spent_s: float) -> None:
        """Note what the clock showed of what a player did since some event, its dropping out included."""
        events = self.table.game.events
        acted = (number for number in range(since, len(events)) if events[number].actor == colour)
        number = next((number for number in acted if events[number].action != TURN), None)
        if number is None:
            return
        took_s, clock = round(spent_s, 3), self.table.clocks.get(colour, NO_LIMIT)
        # Who dropped out has no clock any more.
        if clock.control.kind == "none" or events[number].action in (FLAG, FORFEIT):
            self.times[number] = Time(took_s)
        else:
            self.times[number] = Time(took_s, round(clock.left_s, 3), clock.left_count or None)

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
        """Let a player drop out; who fails while being told of it drops out, too."""
        self._failures.append(forfeit)
        self.table.seats.pop(forfeit.colour, None)
        if self.table.is_final:
            return
        try:
            self.table.play(forfeit.colour, FLAG if forfeit.kind == TIME else FORFEIT)
        except _Failure as failure:
            self._forfeit(failure.forfeit)

    def _verdict(self) -> RefereeVerdict:
        table = self.table
        if table.is_final:
            outcome = table.game.outcome
            by_forfeit = outcome is not None and bool(self._failures) and outcome.how in ("forfeit", "time")
            return RefereeVerdict("forfeit" if by_forfeit else "played", outcome)
        why = f"stopped at the limit of {self.game.move_limit} moves"
        standing = table.rules.standing(table.position) if self.game.on_move_limit == "score" else None
        if standing is not None:
            return RefereeVerdict("adjudicated", standing, why=why)
        if self.game.on_move_limit == "draw":
            return RefereeVerdict("adjudicated", Outcome(None, "score"), why=why)
        return RefereeVerdict("void", None, why=why)

    def _close(self, outcome: Outcome | None) -> None:
        for player in self.players.values():
            try:
                player.leave(outcome)
            except _Failure as failure:
                self._failures.append(failure.forfeit)


def play(fixture: Fixture, folder: Path | None = None, witness: GameObserver | None = None) -> tuple[ResultRow, Record]:
    """Play one game of a match; programs write what they say into `folder`.

    The same fixture gives the same game, times apart. Raises ConfigError for a bot that cannot be found.
    """
    start = monotonic()
    rules = parse(fixture.game.spec)
    dice = DiceStream(fixture.secret)
    table = openings.begin(rules, lambda: dice, fixture.opening, fixture.game.handicap)
    players = {colour: _player(fixture, colour, folder) for colour in rules.colours}
    seeds = {colour: fixture.seat_seed(colour) for colour in players}
    limits = {colour: fixture.player(colour).limits for colour in players}
    referee = Referee(table, players, seeds, fixture.game, limits, witness)
    verdict = referee.run()
    row = row_of(fixture, table, verdict)
    times = {fixture.player(colour).name: player for colour, player in referee.players.items()}
    row = replace(
        row,
        took_s=round(monotonic() - start, 3),
        thought_s={name: round(player.thought_s, 3) for name, player in times.items()},
        slowest_s={name: round(player.slowest_s, 3) for name, player in times.items()},
    )
    record = record_of(fixture, table, dice, row, _errors(fixture, folder))
    return row, replace(record, times=referee.times)


def _player(fixture: Fixture, colour: int, folder: Path | None) -> Player:
    config = fixture.player(colour)
    if isinstance(config, BotConfig):
        return bots.load(config.bot)
    config = replace(config, slot=fixture.slot)
    return engines.make_player(config, (folder or Path()) / fixture.id, fixture.id, fixture.seat_seed(colour))


def _errors(fixture: Fixture, folder: Path | None) -> list[str]:
    """What programs wrote to their standard error whose settings want it in the record; the files go."""
    found = []
    for player in fixture.players:
        if folder is None or not isinstance(player, ProgramConfig) or player.stderr != "sgf":
            continue
        for file in sorted((folder / fixture.id).glob(f"{player.name}-?.stderr")):
            said = file.read_text(encoding="utf-8", errors="replace")[:_MOST_SAID]
            found.append(f"{player.name} on stderr:\n{said.strip()}")
            file.unlink()
    return found


def row_of(fixture: Fixture, table: Table, verdict: RefereeVerdict) -> ResultRow:
    """What is kept of a game, without times."""
    outcome, game = verdict.outcome, table.game
    winner = None if outcome is None or outcome.winner is None else fixture.player(outcome.winner).name
    turns = game.turns()
    # Who resigned dropped out just as who failed did; of two players the other has won, and that says it all.
    gone = [event.actor for event in table.position.out] if len(fixture.players) > 2 else []
    events = [(event.actor, event.action) for event in game.events]
    return ResultRow(
        fixture.id,
        fixture.matchup,
        fixture.pair,
        fixture.leg,
        fixture.names,
        verdict.kind,
        outcome.sgf if outcome else "void",
        winner,
        len(turns),
        sum(1 for event in turns if event.action >= 0),
        fixture.opening.name if fixture.opening else "",
        hashlib.sha256(repr((sorted(game.setup.items()), events)).encode()).hexdigest()[:16],
        tuple((fixture.player(each.colour).name, each.kind, each.why) for each in verdict.failures),
        verdict.why,
        tuple(fixture.player(colour).name for colour in gone),
    )


def record_of(fixture: Fixture, table: Table, dice: DiceStream, row: ResultRow, remarks: Sequence[str] = ()) -> Record:
    """The record of a game."""
    thrown = any(event.actor == CHANCE and event.action >= 0 for event in table.game.events)
    said = [f"{fixture.id}: {row.result}"] if row.kind == "adjudicated" else [f"{fixture.id}"]
    said += [part for part in (row.opening, row.why) if part]
    controls = {player.limits.control for player in fixture.players}
    # A record has one time control, for all.
    control = controls.pop() if len(controls) == 1 else NO_CLOCK
    return Record(
        table.game,
        dice="secret" if thrown else None,
        commitment=dice.commitment if thrown else None,
        secret=dice.secret if thrown else None,
        told=frozenset(turn for turn, _ in table.draws.told),
        players={colour: fixture.player(colour).name for colour in table.rules.colours},
        comment="\n".join([", ".join(said), *remarks]),
        main_s=None if control.kind == "none" else control.main_s,
        overtime=overtime_words(control),
    )
