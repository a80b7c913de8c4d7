"""A reader of the analysis that Sabaki shows, in our words: its own reader is part of the program and not published."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Variation:
    """A move as Sabaki shows it, for the side to move: the win rate in per cent, and the lead in points."""

    vertex: str
    visits: int
    win_percent: float
    lead: float | None
    line: list[str]


def read_variations(command: str, line: str) -> list[Variation]:
    """Read a line as Sabaki 0.60.2 does: fractions from `kata-` commands, ten-thousandths from all others.

    Older versions ask whether there is a decimal point instead; both must come to the same.
    """
    found = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        told = re.search(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$", part.strip())
        assert told is not None, part
        *pairs, pv = part[: told.start()].split()
        assert pv == "pv", part
        fields = dict(zip(pairs[::2], pairs[1::2], strict=True))
        if not re.fullmatch(r"[A-Za-z]\d+", fields["move"]):
            continue
        share = fields["winrate"]
        is_fraction = command.startswith("kata-")
        assert ("." in share) == is_fraction, (command, share)
        win_percent = 100 * float(share) if is_fraction else int(share) / 100
        lead = float(fields["scoreLead"]) if "scoreLead" in fields else None
        line_of_play = told[0].split("pass")[0].split()
        found.append(Variation(fields["move"], int(fields["visits"]), win_percent, lead, line_of_play))
    return found
