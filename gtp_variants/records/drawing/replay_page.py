"""A record as one self-contained HTML page that shows it move by move."""

from collections.abc import Iterator

from gtp_variants.base.json_values import Json
from gtp_variants.base.pages import render
from gtp_variants.lang import say
from gtp_variants.records.drawing.drawing_model import find_mark, last_stone, open_lines
from gtp_variants.records.drawing.svg import stage
from gtp_variants.records.record import Record
from gtp_variants.records.steps import RecordStep, RecordSteps
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.traits import DicedRules


def replay(record: Record) -> str:
    """Return a record's page. It opens at the last step, or at step 12, counted from 0, if its URL ends in `#12`."""
    moments = RecordSteps(record)
    rules, board = moments.rules, stage(moments.rules)
    told = {
        "places": board.places,
        "radius": board.radius,
        "lines": rules.lines if isinstance(rules, DicedRules) else (),
        "faces": board.faces,
        "moments": list(_describe_steps(moments)),
    }
    about = {"lang": rules.lang, "title": moments.title(), "board": board, "told": told}
    return render("records/drawing/replay_page.html", **about, say=say)


def _describe_steps(moments: RecordSteps) -> Iterator[Json]:
    """Yield each step as JSON: changed points, the last stone, open lines, marked points and sentences."""
    rules, before = moments.rules, bytes(len(moments.rules.board))
    for moment in moments.all:
        position = moments.position(moment)
        told: Json = {"say": [*moments.caption(moment), *_standing(moments, moment)]}
        if position.stones != before:
            pairs = enumerate(zip(before, position.stones, strict=True))
            told["put"] = {
                point: COLOUR_LETTERS[there] if there else "" for point, (was, there) in pairs if was != there
            }
        if (last := last_stone(position.stones, position.last)) is not None:
            told["last"] = last
        if opened := open_lines(rules, position):
            told["open"] = list(opened)
        points, mark = find_mark(rules, position)
        if points:
            told["marked"] = sorted(points)
            told["say"].append(f"○ {mark}")
        before = position.stones
        yield told


def _standing(moments: RecordSteps, moment: RecordStep) -> list[str]:
    """Return the result as lines of text at the last step, and [] at any other step."""
    if moment is not moments.all[-1]:
        return []
    outcome = moments.game.outcome
    return moments.remark(moment) if outcome is None else [outcome.sentence(moments.rules.lang)]
