"""Twin games in records that are read from one seat's point of view, event by event, as text and as pictures."""

from gtp_variants.records.drawing.svg import svg
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.records.steps import RecordSteps, text_of
from gtp_variants.rules.game import Game
from gtp_variants.terminal.replay import ReplayCursor
from tests.support.twins import Leak, TwinPair


def read_with_eyes_of(game: Game, colour: int) -> list[object]:
    """Return everything that a reader sees of an unfinished game's record from the point of view of a colour."""
    steps = RecordSteps(from_json(to_json(Record(game))), colour)
    texts = [text_of(steps, step) for step in steps.all]
    last = steps.all[-1]
    cursor = ReplayCursor(steps)
    return [*texts, svg(steps.rules, steps.position(last), steps.view(last)), steps.last_move, cursor.number]


def compare_records(pair: TwinPair) -> None:
    """Compare the records of two games as their seat reads them. Raises Leak if they differ."""
    ours, theirs = (read_with_eyes_of(game, pair.colour) for game in pair.games)
    if ours != theirs:
        raise Leak(f"pair {pair.number}, {pair.spec}: {len(ours)} and {len(theirs)} moments, not alike")
