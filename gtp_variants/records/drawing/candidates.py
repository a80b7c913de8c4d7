"""The moves that a search looked at, as a notebook shows them: on the board and in a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gtp_variants.records.drawing.svg import svg
from gtp_variants.records.notation import write_move
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import View

_MOST_ROWS = 10
# Moves that were tried less, for each visit of the most visited one, are left off the board.
_LEAST_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move, how often it was tried, the share of the score, 0 to 1, that it won, and what an evaluator thought of it.

    None where nobody knows.
    """

    action: int
    visits: int
    share: float | None
    prior: float | None = None


def candidates_page(rules: Rules, at: Position | View, candidates: Sequence[Candidate], said: Sequence[str]) -> str:
    """The board with the share of the visits, and of the score, of each move; lines of text and a table of the first.

    The result is a piece of HTML, a `div`.
    """
    position, view = (at.position, at) if isinstance(at, View) else (at, None)
    most, total = max((each.visits for each in candidates), default=0), sum(each.visits for each in candidates)
    shown = [each for each in candidates if each.action >= 0 and each.visits > _LEAST_SHARE * most]
    picture = svg(
        rules,
        position,
        view,
        heat={each.action: each.visits / most for each in shown},
        labels={each.action: f"{percent(each.visits / total)}\n{_share(each.share)}" for each in shown},
    )
    text = "".join(f"<div>{escape(line)}</div>" for line in said if line)
    names = ["move", "visits", "value", *(["prior"] if any(each.prior is not None for each in candidates) else [])]
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(f"<tr>{_cells(rules, each, len(names))}</tr>" for each in candidates[:_MOST_ROWS])
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f"{picture}<div>{text}<table><tr>{head}</tr>{rows}</table></div></div>"
    )


def _cells(rules: Rules, each: Candidate, count: int) -> str:
    cells = (write_move(rules.board, each.action), str(each.visits), _share(each.share), _share(each.prior))
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells[:count])


def _share(share: float | None) -> str:
    return "" if share is None else percent(share)


def percent(share: float) -> str:
    """A share, 0 to 1, in hundredths."""
    return f"{100 * share:.0f}%"
