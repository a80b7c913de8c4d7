"""Ratings of versions over several matches."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gtp_variants.arena.report.history import (
    PastMatch,
    Version,
    rate_history,
    read_match,
    render_history,
    render_history_page,
)
from gtp_variants.arena.store import MatchStore
from gtp_variants.cli import main
from gtp_variants.errors import RecordError
from tests.arena.matches import COMPLETE, run, write_match

BASE, OLD, NEW = Version("base", "1", "b"), Version("mine", "1", "o"), Version("mine", "2", "n")


def past(day: int, *results: tuple[Version, Version, int, int], variant: str = "go") -> PastMatch:
    """Return a match; for each of `results` the first of two players won and lost these numbers of games."""
    games: Sequence[tuple[Version, Version, float]] = [
        game for one, other, won, lost in results for game in [(one, other, 1.0)] * won + [(one, other, 0.0)] * lost
    ]
    return PastMatch(f"day {day}", datetime(2026, 11, day, tzinfo=UTC), variant, games)


def test_versions_of_a_player_are_rated_separately_from_all_matches() -> None:
    (found,) = rate_history([past(2, (NEW, BASE, 30, 10)), past(1, (OLD, BASE, 20, 20))], anchor="base")
    assert [(each.version, each.match, each.games) for each in found.versions] == [
        (OLD, "day 1", 40),
        (BASE, "day 1", 80),
        (NEW, "day 2", 40),
    ]
    elo = {each.version: each.elo for each in found.versions}
    assert elo[BASE] == 0
    assert elo[OLD] == pytest.approx(0, abs=1e-6)
    assert elo[NEW] == pytest.approx(190.85, abs=0.01)


def test_unconnected_variants_and_players_are_not_compared() -> None:
    here, there = (Version(name, "", name) for name in ("here", "there"))
    matches = [past(1, (OLD, BASE, 3, 1)), past(2, (here, there, 1, 1)), past(3, (NEW, BASE, 1, 1), variant="aleago")]
    go, aleago = rate_history(matches)
    assert [len(group) for group in go.groups] == [2, 2]
    assert "No game connects" in render_history([go])
    assert [each.version for each in aleago.versions] == [NEW, BASE]
    assert render_history_page([go, aleago]).count("<svg") == 3
    with pytest.raises(ValueError, match="no player is called 'nobody'"):
        rate_history(matches, "nobody")


@pytest.mark.slow
def test_stores_are_read_with_their_dates(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_match(here, pairs=2)
    assert run(str(file), "--quiet") == COMPLETE
    (found,) = read_match(here / "out" / "arena.db")
    assert (found.name, len(found.games), found.variant[:22]) == ("out", 4, "aleago:size=5,dice=1d2")
    assert abs(datetime.now(UTC) - found.begun).total_seconds() < 600
    with MatchStore(here / "out" / "arena.db") as store:
        store._file.write_note("begun", "2026-01-02T03:04:05+00:00")
    capsys.readouterr()
    assert main(["history", str(file), "--html", str(here / "page.html")]) == 0
    said = capsys.readouterr().out
    assert "4 games of 1 matches" in said
    assert "2026-01-02  greedy" in said
    assert "2026-01-02" in (here / "page.html").read_text(encoding="utf-8")
    with pytest.raises(RecordError, match="there is no such file"):
        list(read_match(here / "nothing.db"))
    assert main(["history", str(here / "out"), "--anchor", "nobody"]) == 2
