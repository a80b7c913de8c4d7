"""A finished game as it is kept: its row in the table of results, and its record."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from gtp_variants.arena.config.player_config import NO_CLOCK
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.arena.run.timed_player import Forfeit
from gtp_variants.arena.schedule import Fixture
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.table import Table
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.outcome import Outcome


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


def make_row(fixture: Fixture, table: Table, verdict: RefereeVerdict) -> ResultRow:
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
        parameters=fixture.parameters,
    )


def make_record(
    fixture: Fixture, table: Table, dice: DiceStream, row: ResultRow, remarks: Sequence[str] = ()
) -> Record:
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
        overtime=_overtime(control),
    )


def _overtime(control: TimeControl) -> str:
    """What follows the main time, as other programs write it into an SGF `OT`; "" if nothing does."""
    period = f"{control.period_s:g}"
    return {
        "fischer": f"{control.increment_s:g} fischer",
        "byoyomi": f"{control.periods}x{period} byo-yomi",
        "canadian": f"{control.stones}/{period} Canadian",
    }.get(control.kind, "")
