"""Twin games in a record that is read with the eyes of a seat: moment by moment, as text and as pictures."""

from gtp_variants.records.drawing.svg import svg
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.record import Record
from gtp_variants.records.steps import RecordSteps, text_of
from gtp_variants.rules.game import Game
from gtp_variants.terminal.replay import ReplayCursor
from tests.support.twins import Leak, TwinPair


def read_with_eyes_of(game: Game, colour: int) -> list[object]:
    """All that a reader sees of a record that has not ended who sees what a colour saw."""
    steps = RecordSteps(from_json(to_json(Record(game))), colour)
    texts = [text_of(steps, step) for step in steps.all]
    last = steps.all[-1]
    cursor = ReplayCursor(steps)
    return [*texts, svg(steps.rules, steps.position(last), steps.view(last)), steps.last_move, cursor.number]


def compare_records(pair: TwinPair) -> None:
    """Compare the records of two games as their seat reads them. Raises Leak."""
    ours, theirs = (read_with_eyes_of(game, pair.colour) for game in pair.games)
    if ours != theirs:
        raise Leak(f"pair {pair.number}, {pair.spec}: {len(ours)} and {len(theirs)} moments, not alike")
