"""The referee of a match. It plays one game at a table until an outcome, a forfeit or a verdict at the move limit.

A player that raises an exception, answers nonsense, breaks the rules, exceeds its time or disappears forfeits the game,
with a reason. In a game for three, the other two continue. Only the referee's record, score, clock and dice count.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from time import monotonic

from gtp_variants.ai.mcts.final_status import find_other_winner
from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import NO_CLOCK, NO_LIMITS, BotConfig, ProgramConfig, TimeLimits
from gtp_variants.arena.result_row import ILLEGAL, KILLED, TAMPERED, TAMPERING, TIME, UNJUDGED, ResultRow
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.crash_log import GameObserver
from gtp_variants.arena.run.hangs import Forfeit, PlayerFailed, TimedPlayer
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import VariantsError
from gtp_variants.players import bots
from gtp_variants.players.agreements import PASSES, Agreement, agreed_rules, find_agreements
from gtp_variants.players.clock import NO_LIMIT, Clock, TimeControl
from gtp_variants.players.dice_draws import ComingDice
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.record import MAX_EVENTS, Record, Time
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, FLAG, FORFEIT, TURN
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.turn_rules import others

# Maximum number of characters of a program's standard error in a record.
_MOST_SAID = 20_000


@dataclass(frozen=True, slots=True)
class RefereeVerdict:
    """The verdict on a game.

    `kind` is "played", "forfeit", "adjudicated" (at the move limit) or "void". `outcome` is None only for a void game.
    The first of the `failures` lost the game; failures after the end of the game have no effect.
    """

    kind: str
    outcome: Outcome | None
    failures: tuple[Forfeit, ...] = ()
    why: str = ""

    @property
    def is_interference(self) -> bool:
        """True if the game is void because a process was ended or stopped from outside."""
        return self.kind == "void" and any(each.kind == KILLED for each in self.failures)


class Referee:
    """A game in progress: a table, its players and the limits under which they play."""

    def __init__(
        self,
        table: Table,
        players: Mapping[int, Player],
        seeds: Mapping[int, str],
        game: GameSettings,
        limits: Mapping[int, TimeLimits] | None = None,
        observer: GameObserver | None = None,
    ) -> None:
        self.table, self.game, self.seeds = table, game, seeds
        self._observer = observer or GameObserver()
        limits = limits or {}
        self.players = {
            colour: TimedPlayer(colour, player, limits.get(colour, NO_LIMITS), self._observer)
            for colour, player in players.items()
        }
        table.ask_for_dead = self._ask_for_dead
        table.clocks.update({colour: Clock.full(each.control) for colour, each in limits.items()})
        # The time for each action, by event number.
        self.times: dict[int, Time] = {}
        self.decisions: Decisions = {}
        self.failures: list[Forfeit] = []
        # The failure of a process that was ended or stopped from outside, if any: it makes the game void.
        self._interference: Forfeit | None = None
        # The turn in which each colour was last asked for an agreement.
        self._asked_in: dict[int, int] = {}
        # The current turn, and the number of actions in it so far.
        self._tries = (0, 0)

    def run(self) -> RefereeVerdict:
        """Play the game to its end; return the verdict."""
        self._sit()
        while self._may_go_on() and (colour := self.table.asked()) is not None:
            player, since = self.players[colour], len(self.table.game.events)
            before_s = player.thought_s
            is_agreed = False
            try:
                is_agreed = self._agree(colour)
                if not is_agreed:
                    self._step(colour)
            except PlayerFailed as failure:
                self._forfeit(failure.forfeit)
            if not is_agreed:
                self._note(colour, since, player.thought_s - before_s)
            self._observer.on_events(self.table.game.events)
        verdict = _judge_table(self.table, self.game, self.failures)
        if self._interference is not None:
            verdict = RefereeVerdict("void", None, why=self._interference.why)
        self._close(verdict.outcome)
        if not self.failures:
            return verdict
        return replace(verdict, failures=tuple(self.failures), why=verdict.why or self.failures[0].why)

    def _may_go_on(self) -> bool:
        # Leave room in the record for the last events.
        is_full = len(self.table.game.events) > MAX_EVENTS - 16
        return self._interference is None and not is_full and self.table.position.turn <= self.game.move_limit

    def _sit(self) -> None:
        for colour, player in self.players.items():
            try:
                self.table.seat(colour, player, self.seeds[colour])
            except PlayerFailed as failure:
                self._forfeit(failure.forfeit)
            if self.table.is_final or self._interference is not None:
                return

    def _agree(self, colour: int) -> bool:
        """Let the player to act propose an agreement, then the others. Return True if one has been made."""
        table, possible = self.table, find_agreements(self.table)
        # During play only the player to move is asked. All are asked for terms, and before an end is agreed on.
        askees = others(table.rules.colours, colour) if table.suspended or PASSES in possible else ()
        for proposer in (colour, *askees) if possible else ():
            # Each is asked once in a turn, so that agreements cannot go on for ever.
            if self._asked_in.get(proposer) != table.position.turn:
                self._asked_in[proposer] = int(table.position.turn)
                text = self.players[proposer].propose()
                if text and self._make_agreement(proposer, text):
                    return True
        return False

    def _make_agreement(self, proposer: int, text: str) -> bool:
        """Make an agreement if all other players accept it. Return False if they do not, or if it is impossible."""
        table = self.table
        try:
            agreement = Agreement.read(table, text)
        except VariantsError:
            return False
        askees = [self.players[each] for each in others(table.rules.colours, proposer)]
        if not agreement.actions or not all(each.accepts(table, agreement, text) for each in askees):
            return False
        agreement.carry_out(table, proposer)
        if not table.seats:
            self._sit()
        return True

    def _step(self, colour: int) -> None:
        table = self.table
        player = self.players[colour]
        turn = int(table.position.turn)
        self._tries = (turn, self._tries[1] + 1 if self._tries[0] == turn else 1)
        before_s = player.thought_s
        action = table.choose(colour)
        table.clocks[colour] = table.clocks.get(colour, NO_LIMIT).after(player.thought_s - before_s)
        if self.game.try_limit is not None and self._tries[1] > self.game.try_limit and not table.suspended:
            raise PlayerFailed(Forfeit(colour, ILLEGAL, f"made more than {self.game.try_limit} tries in one turn"))
        try:
            table.answer(colour, action)
        except VariantsError as error:
            raise PlayerFailed(Forfeit(colour, ILLEGAL, f"chose {player.name_action(action)}: {error}")) from error

    def _note(self, colour: int, since: int, spent_s: float) -> None:
        """Note the analysis and times of a player's first action since an event; dropping out counts as an action."""
        events = self.table.game.events
        acted = (number for number in range(since, len(events)) if events[number].actor == colour)
        number = next((number for number in acted if events[number].action != TURN), None)
        if number is None:
            return
        self.decisions[number] = self.players[colour].thought
        took_s, clock = round(spent_s, 3), self.table.clocks.get(colour, NO_LIMIT)
        # Do not record the time left of a player that has dropped out, because it no longer has a clock.
        if clock.control.kind == "none" or events[number].action in (FLAG, FORFEIT):
            self.times[number] = Time(took_s)
        else:
            self.times[number] = Time(took_s, round(clock.left_s, 3), clock.left_count or None)

    def _forfeit(self, forfeit: Forfeit) -> None:
        """Note a failure. Except for interference, the player drops out, and any player that fails on hearing this."""
        self.failures.append(forfeit)
        self.table.seats.pop(forfeit.colour, None)
        if self.table.is_final:
            return
        if forfeit.kind == KILLED:
            self._interference = forfeit
            return
        try:
            self.table.play(forfeit.colour, FLAG if forfeit.kind == TIME else FORFEIT)
        except PlayerFailed as failure:
            self._forfeit(failure.forfeit)

    def _ask_for_dead(self) -> Collection[int] | None:
        """Return the points of the dead stones if all players are programs that name the same ones, else None."""
        said = []
        for player in self.players.values():
            try:
                said.append(player.find_dead())
            except PlayerFailed as failure:
                self.failures.append(failure.forfeit)
                said.append(None)
        return said[0] if all(each == said[0] for each in said) else None

    def _close(self, outcome: Outcome | None) -> None:
        for player in self.players.values():
            try:
                player.leave(outcome)
            except PlayerFailed as failure:
                # Ignore interference after the end of the game, because it changes nothing.
                self.failures += [failure.forfeit] if failure.forfeit.kind != KILLED else []


def _judge_table(table: Table, game: GameSettings, failures: Sequence[Forfeit]) -> RefereeVerdict:
    """Return the verdict on the game at a table after these failures, which the verdict does not include yet."""
    if table.is_final:
        outcome = table.game.outcome
        by_forfeit = outcome is not None and bool(failures) and outcome.how in ("forfeit", "time")
        return RefereeVerdict("forfeit" if by_forfeit else "played", outcome, why=_doubt_about(table))
    why = f"stopped at the limit of {game.move_limit} moves"
    standing = table.rules.standing(table.position) if game.on_move_limit == "score" else None
    if standing is not None:
        return RefereeVerdict("adjudicated", standing, why=why)
    if game.on_move_limit == "draw":
        return RefereeVerdict("adjudicated", Outcome(None, "score"), why=why)
    return RefereeVerdict("void", None, why=why)


def _doubt_about(table: Table) -> str:
    """Return a reason that says who would win without the dead stones, or "" if they do not change the winner."""
    rules, outcome = table.rules, table.game.outcome
    if rules.judges_dead or outcome is None or outcome.how != "score":
        return ""
    other = find_other_winner(rules, table.position)
    return "" if other is None else f"{UNJUDGED}: {other.sgf} without them"


def play_game(
    fixture: Fixture,
    folder: Path | None = None,
    observer: GameObserver | None = None,
    decisions: Decisions | None = None,
) -> tuple[ResultRow, Record]:
    """Play one game of a match. The GTP logs of programs are written into `folder`.

    A fixture with a seed leads to the same game, except for times. The players' analyses are added to `decisions`.
    Raises ConfigError for an unknown bot.
    """
    start = monotonic()
    if fixture.has_fresh_seed:
        fixture = replace(fixture, seed=token_hex(32))
        if observer is not None:
            observer.on_seed(fixture.seed)
    dice = DiceStream(fixture.secret)
    table = fixture.begin(dice)
    players = {colour: _make_player(fixture, colour, folder) for colour in table.rules.colours}
    seated = {colour: fixture.player(colour) for colour in players}
    seeds = {colour: fixture.seat_seed(colour) for colour in players}
    limits = {colour: each.limits for colour, each in seated.items()}
    referee = Referee(table, players, seeds, fixture.game, limits, observer)
    verdict = referee.run()
    if decisions is not None:
        decisions.update(referee.decisions)
    # Other people's bots in this process could manipulate the referee: replay the game before it counts.
    trusted = {colour: each for colour, each in seated.items() if isinstance(each, BotConfig) and each.is_trusted}
    suspects = {colour: each.name for colour, each in trusted.items() if not bots.is_ours(each.bot)}
    if suspects and not verdict.is_interference:
        table, difference = _replay(fixture.game.spec, table, fixture.secret)
        again = _judge_table(table, fixture.game, referee.failures)
        if not difference and (again.kind, again.outcome) != (verdict.kind, verdict.outcome):
            found = [each.outcome.sgf if each.outcome else each.kind for each in (verdict, again)]
            difference = f"the result is {found[1]}, not {found[0]}"
        if difference:
            verdict = _judge_tampering(suspects, table, verdict, difference)
    row = make_row(fixture, table, verdict)
    times = {fixture.player(colour).name: player for colour, player in referee.players.items()}
    row = replace(
        row,
        took_s=round(monotonic() - start, 3),
        thought_s={name: round(player.thought_s, 3) for name, player in times.items()},
        slowest_s={name: round(player.slowest_s, 3) for name, player in times.items()},
    )
    record = make_record(fixture, table, dice, row, _take_stderr(fixture, folder))
    events = len(table.game.events)
    return row, replace(record, times={number: time for number, time in referee.times.items() if number < events})


def _replay(spec: str, table: Table, secret: bytes) -> tuple[Table, str]:
    """Replay a finished game with rules and dice that no player could change.

    Returns the table, and any difference in words. A bot in the referee's process could change the game, but then a
    replay of the game's events differs. The replay stops after an impossible event.
    """
    game, dice = table.game, DiceStream(secret)
    rules = agreed_rules(parse(spec), [event.action for event in game.events])
    again = Table.of(Game(rules, game.setup, game.first), lambda: dice, table.draws.told)
    again.draws.coming = ComingDice(table.draws.coming.by_turn)
    for index, event in enumerate(game.events):
        try:
            if index == len(again.game.events):
                again.game.play(event.actor, event.action)
                again.draws.throw()
        except VariantsError as error:
            return again, f"event {index + 1}: {error}"
        if again.game.events[index] != event:
            return again, f"event {index + 1}: the dice show something else"
    if again.position != table.position:
        return again, "the events lead to another position"
    return again, ""


def _judge_tampering(
    suspects: Mapping[int, str], table: Table, verdict: RefereeVerdict, difference: str
) -> RefereeVerdict:
    """Return the verdict if the replay, at `table`, differs: the only suspect loses; with several, the game is void."""
    why = f"{TAMPERED}: {difference}; in its process: {' and '.join(suspects.values())}"
    if len(suspects) != 1:
        return RefereeVerdict("void", None, verdict.failures, why)
    (culprit,) = suspects
    while table.is_final:
        table.cut(len(table.game.events) - 1)
    table.play(culprit, FORFEIT)
    # The two players left of three share the points.
    outcome = table.game.outcome or Outcome(None, "forfeit")
    return RefereeVerdict("forfeit", outcome, (Forfeit(culprit, TAMPERING, why), *verdict.failures), why)


def _make_player(fixture: Fixture, colour: int, folder: Path | None) -> Player:
    config = fixture.player(colour)
    folder = (folder or Path()) / fixture.id
    if isinstance(config, BotConfig):
        # Do not keep a process that would know the next game's dice, or whose bot would have other parameters by then.
        return engines.make_bot(config, folder, fixture.id, is_kept=not fixture.shares_dice and not fixture.parameters)
    config = replace(config, slot=fixture.slot)
    return engines.make_program(config, folder, fixture.id, fixture.seat_seed(colour))


def _take_stderr(fixture: Fixture, folder: Path | None) -> list[str]:
    """Return the standard error of each program whose settings want it in the record. Delete the files."""
    found = []
    for player in fixture.players:
        if folder is None or not isinstance(player, ProgramConfig) or player.stderr != "sgf":
            continue
        for file in sorted((folder / fixture.id).glob(f"{player.name}-?.stderr")):
            said = file.read_text(encoding="utf-8", errors="replace")[:_MOST_SAID]
            found.append(f"{player.name} on stderr:\n{said.strip()}")
            file.unlink()
    return found


def make_row(fixture: Fixture, table: Table, verdict: RefereeVerdict) -> ResultRow:
    """Return a game as a row of the results, without times."""
    outcome, game = verdict.outcome, table.game
    winner = None if outcome is None or outcome.winner is None else fixture.player(outcome.winner).name
    turns = game.turns()
    # With three players, list those that resigned or failed, in order. With two, the winner is enough.
    gone = [event.actor for event in table.position.out] if len(fixture.players) > 2 else []
    content = repr((sorted(game.setup.items()), [(event.actor, event.action) for event in game.events])).encode()
    names = {colour: fixture.player(colour).name for colour in table.rules.colours}
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
        # After interference the game is played again: without a digest, this part is no duplicate of the whole.
        "" if verdict.is_interference else hashlib.sha256(content).hexdigest()[:16],
        # Colour 0 stands for the referee, who has no name.
        tuple((names.get(each.colour, ""), each.kind, each.why) for each in verdict.failures),
        verdict.why,
        tuple(fixture.player(colour).name for colour in gone),
        parameters=fixture.parameters,
    )


def make_record(
    fixture: Fixture, table: Table, dice: DiceStream, row: ResultRow, remarks: Sequence[str] = ()
) -> Record:
    """Return the record of a game."""
    thrown = any(event.actor == CHANCE and event.action >= 0 for event in table.game.events)
    said = [f"{fixture.id}: {row.result}"] if row.kind == "adjudicated" else [f"{fixture.id}"]
    said += [part for part in (row.opening, row.why) if part]
    controls = {player.limits.control for player in fixture.players}
    # A record has only one time control for all players.
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
        overtime=_overtime(control),
    )


def _overtime(control: TimeControl) -> str:
    """Return the overtime in the form that other programs use in an SGF `OT`; "" if there is none."""
    period = f"{control.period_s:g}"
    return {
        "fischer": f"{control.increment_s:g} fischer",
        "byoyomi": f"{control.periods}x{period} byo-yomi",
        "canadian": f"{control.stones}/{period} Canadian",
    }.get(control.kind, "")
