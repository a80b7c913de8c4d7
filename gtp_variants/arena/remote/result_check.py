"""A game that another machine says it played, played again here before it counts.

Its record must be of the game that was lent: the same rules and opening, dice from the secret of that game, and every
event lawful. What the game came to is then found out here, from the events. Left to be believed are the failures behind
a forfeit, the times, and that the players are who they ought to be; `worker_differences` looks whether the results of
one machine differ from those of the others.
"""

from dataclasses import replace
from math import isfinite

from gtp_variants.arena.config import openings
from gtp_variants.arena.remote.messages import GameReport
from gtp_variants.arena.result_row import FAILURES, FinishedGame
from gtp_variants.arena.run.game_record import RefereeVerdict, make_record, make_row
from gtp_variants.arena.run.referee import is_at_limit, judge_table
from gtp_variants.arena.run.replay_check import replay_table
from gtp_variants.arena.run.timed_player import Forfeit
from gtp_variants.arena.schedule import COLOURS, Fixture
from gtp_variants.errors import RecordError
from gtp_variants.players.table import Table
from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.records.record import Record
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.game import Game


def check_game(fixture: Fixture, report: GameReport) -> FinishedGame:
    """The game as it is kept. Raises RecordError that says what cannot be."""
    record = from_sgf(report.sgf)
    fixture = _find_attempt(fixture, record)
    table, dice = _replay(fixture, record), DiceStream(fixture.secret)
    verdict = _judge(fixture, table, report)
    row = make_row(fixture, table, verdict)
    row = replace(
        row,
        took_s=_seconds(report.took_s),
        thought_s={name: _seconds(report.thought_s.get(name, 0.0)) for name in row.players},
        slowest_s={name: _seconds(report.slowest_s.get(name, 0.0)) for name in row.players},
    )
    ours = make_record(fixture, table, dice, row)
    # What programs said on their standard error stands there, too.
    ours = replace(ours, times=record.times, comment=record.comment)
    return FinishedGame(row, to_sgf(ours), replay(ours) if fixture.is_shown else "", report.samples)


def _find_attempt(fixture: Fixture, record: Record) -> Fixture:
    """The game as often begun as its dice say: after a crash a game may be played again."""
    attempts = [replace(fixture, attempt=fixture.attempt + again) for again in range(fixture.game.replays + 1)]
    if record.secret is None:
        return fixture
    found = next((each for each in attempts if each.secret == record.secret), None)
    if found is None:
        raise RecordError(f"{fixture.id}: its dice are those of another game")
    return found


def _replay(fixture: Fixture, record: Record) -> Table:
    """The table at which fresh rules and the dice of this game made of the events what the record has."""
    rules, game = parse(fixture.game.spec), record.game
    dice = DiceStream(fixture.secret)
    begun = openings.begin(rules, lambda: dice, fixture.opening, fixture.game.handicap)
    start = begun.game
    # A record may say who is first where that goes without saying.
    positions = [Game(rules, each.setup, each.first).position for each in (game, start)]
    if game.rules.spec != rules.spec:
        raise RecordError(f"{fixture.id}: a game of {game.rules.spec}, not of {rules.spec}")
    if positions[0] != positions[1] or game.events[: len(start.events)] != start.events:
        raise RecordError(f"{fixture.id}: it does not begin with its opening")
    table, difference = replay_table(fixture.game.spec, Table.of(game, lambda: dice, begun.draws.told), fixture.secret)
    if difference:
        raise RecordError(f"{fixture.id}: {difference}")
    return table


def _judge(fixture: Fixture, table: Table, report: GameReport) -> RefereeVerdict:
    """How the game came out, and the failures that are told of it."""
    failures = []
    for who, kind, why in report.failures:
        if who not in fixture.names or kind not in FAILURES:
            raise RecordError(f"{fixture.id}: {who} failed by {kind}: expected a player of it and a kind of failure")
        failures.append(Forfeit(COLOURS[fixture.names.index(who)], kind, why))
    if not table.is_final and not is_at_limit(table, fixture.game):
        raise RecordError(f"{fixture.id}: it is not over")
    verdict = judge_table(table, fixture.game, failures)
    if verdict.kind != report.kind:
        raise RecordError(f"{fixture.id}: {report.kind}, but its events say {verdict.kind}")
    return replace(verdict, failures=tuple(failures), why=report.why)


def _seconds(value: float) -> float:
    return round(value, 3) if isfinite(value) and value > 0 else 0.0
