"""What the gates of a training have said, as its log keeps it and as pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.training.json_files import check_numbers, read_lines
from gtp_variants.training.progress_page import PlotLine, plot

NO_NETWORK = "no network"

LOG = "gates.jsonl"


@dataclass(frozen=True, slots=True)
class GateResult:
    """How a network did: against whom, Elo with its 95 % interval, after so many processor hours of training.

    `hours` are those of all its trainings: of the networks that it began with, too.
    """

    iteration: int
    hours: float
    against: str
    games: int
    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"Elo {self.elo:+.0f} [{self.low:+.0f}, {self.high:+.0f}] against {self.against}, {self.games} games"


def read_gate_results(path: Path) -> list[GateResult]:
    """The results in a log, none where there is no file. Raises RecordError with the file and the damaged line."""
    return read_lines(path, _read_result)


def show_strengths(results: Sequence[GateResult]) -> str:
    """Elo over processor hours, as a plot and in figures, as HTML; "" without results."""
    if not results:
        return ""
    against = {NO_NETWORK: [each for each in results if each.against == NO_NETWORK]}
    against["the best before it"] = [each for each in results if each.against != NO_NETWORK]
    curves = [
        PlotLine(f"against {name}", sorted((each.hours, each.elo, each.low, each.high) for each in rows))
        for name, rows in against.items()
        if rows
    ]
    said = "<p>Hours of the networks that it began with are counted.</p>"
    return f"<h2>Elo over processor hours</h2>{said}{plot(curves, 'processor hours in all', 'Elo')}{_table(results)}"


def _table(results: Sequence[GateResult]) -> str:
    rows = [
        (
            f"{each.hours:.2f}",
            str(each.iteration),
            each.against,
            f"{each.elo:+.0f} [{each.low:+.0f}, {each.high:+.0f}]",
            str(each.games),
        )
        for each in sorted(results, key=lambda each: each.hours)
    ]
    head = "".join(f"<th>{each}</th>" for each in ("hours in all", "iteration", "against", "Elo, 95%", "games"))
    cells = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{cells}</table>"


def _read_result(row: Json) -> GateResult:
    """A row of the log. Raises ValueError."""
    names = [each.name for each in fields(GateResult)]
    if set(row) != set(names) or not isinstance(row["against"], str):
        raise ValueError(f"expected an object with {', '.join(names)}")
    check_numbers(row, *(name for name in names if name != "against"))
    return GateResult(**row)
