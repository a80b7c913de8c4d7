"""Journals: a game continues after whichever line its program was killed, and so do games of older versions."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.players.agreements import BOT, Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.journal import Journal, JournalFile, read_journal
from gtp_variants.records.json import to_json
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE

OLD = Path(__file__).with_name("data") / "old_games"
EXPECTED = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))


JOURNAL, ROOM = (f'{{"format":"gtp-variants-{name}","version":' for name in ("journal", "room"))


def record_of(journal: Journal) -> Any:
    return json.loads(to_json(journal.record))


def rows(name: str, query: str) -> list[Any]:
    """Return rows of a database written by an older version."""
    with sqlite3.connect(":memory:") as file:
        file.executescript((OLD / f"{name}.sql").read_text(encoding="utf-8"))
        found = file.execute(query).fetchall()
    file.close()
    return found


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("terminal")])
def test_games_that_the_terminal_kept_continue(tmp_path: Path, name: str) -> None:
    path = tmp_path / "old.json"
    path.write_bytes((OLD / f"{name}.json").read_bytes())
    file, expected = JournalFile(path), EXPECTED[name]
    journal = read_journal(file.load())
    assert record_of(journal) == expected["record"]
    assert journal.notes["kind"] == expected["kind"]
    game = HostedGame(journal)
    bots = {str(colour): each.name for colour, each in game.seats.items() if each.kind == BOT}
    assert (bots, game.is_counting) == (expected["bots"], expected["counting"])
    file.write(game.lines)
    assert read_journal(JournalFile(path).load()).record == journal.record


def test_games_that_the_page_kept_continue() -> None:
    for name, text in rows("web", "select id, room from games"):
        expected = EXPECTED[f"web {name}"]
        journal = read_journal([text])
        assert record_of(journal) == expected["record"]
        game = HostedGame(journal)
        seats = {str(colour): [each.kind, each.key, each.name, each.level] for colour, each in game.seats.items()}
        assert seats == expected["chairs"]
        assert {str(colour): clock.left_s for colour, clock in game.clocks.stopped.items()} == expected["clocks"]
        assert (game.is_counting, game.notes.get("referee", "")) == (expected["counting"], expected["referee"])


def test_games_that_the_server_kept_continue() -> None:
    for number, head, secret in rows("server", "select number, head, secret from matches"):
        expected = EXPECTED[f"server {number}"]
        lines = [line for (line,) in rows("server", f"select line from events where match = {number} order by number")]
        journal = read_journal([head, *lines], secret)
        game = HostedGame(journal)
        assert game.table.game.events == read_journal(game.lines, secret).record.game.events
        assert [*map(list, record_of(journal)["events"])] == expected["record"]["events"]
        assert record_of(journal)["times"] == expected["record"]["times"]
        assert {str(colour): each.name for colour, each in game.seats.items()} == expected["names"]
        left_s = {str(colour): clock.left_s for colour, clock in game.clocks.stopped.items()}
        assert left_s == expected["left_s"] or expected["result"]
        assert (game.clocks.control.main_s, game.clocks.free_s) == (expected["level_s"], expected["gift_s"])
        assert {str({"b": 1, "w": 2}[key]): each for key, each in game.notes["ratings"].items()} == expected["ratings"]


def test_private_games_that_a_bridge_kept_continue() -> None:
    kept = json.loads((OLD / "bridge-private.json").read_text(encoding="utf-8"))
    journal = read_journal([kept["game"]])
    assert record_of(journal) == EXPECTED["bridge-private"]["record"]
    assert {each.name for each in HostedGame(journal).seats.values()} == {"anna", "bert"}


def a_game() -> HostedGame:
    return HostedGame.new(new_record(parse("go:size=5"), b"1" * 32), dict.fromkeys((BLACK, WHITE), Participant()))


def test_only_what_is_new_is_written_and_a_torn_line_does_not_count(tmp_path: Path) -> None:
    path, game = tmp_path / "game.jsonl", a_game()
    file = JournalFile(path)
    for point in range(6):
        game.play(game.table.position.mover, 4 * point)
        before = path.read_bytes() if path.exists() else b""
        file.write(game.lines)
        assert path.read_bytes().startswith(before)
    assert path.stat().st_mode & 0o777 == 0o600
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for size in range(start, len(whole) + 1):
        path.write_bytes(whole[:size])
        again = JournalFile(path)
        journal = read_journal(again.load())
        count = len(journal.record.game.events)
        assert journal.record.game.events == game.table.game.events[:count]
        assert count == whole[:size].count(b"\n") - 1
        going_on = HostedGame(journal)
        going_on.play(going_on.table.position.mover, 24)
        again.write(going_on.lines)
        assert read_journal(JournalFile(path).load()).record.game == going_on.table.game


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "expected JSON, got"),
        ('["b","D9"]', "events\\[1\\]"),
        ('["b"]', "expected the two words of an event"),
        ('["w","D4",-1,5]', "seconds"),
        ('["b","D4",NaN,5]', "NaN"),
        ('{"cut": 7}', "cut: expected a number"),
        ('{"clocks": 7}', "clocks: expected"),
        ('{"clocks": {"b": "x"}}', "clocks: expected"),
        ('{"counting": true}', "counting: expected"),
        ('{"seats": {"b": {"kind": "x"}}}', "seats: expected"),
        ('{"control": {"kind": "fischer", "main_s": "x"}}', "control: expected"),
    ],
)
def test_damaged_lines_are_refused_with_a_sentence(line: str, why: str) -> None:
    game = a_game()
    game.play(BLACK, 0)
    with pytest.raises(RecordError, match=why):
        HostedGame(read_journal([*game.lines, line]))


@pytest.mark.parametrize("head", ["", "{}", "[]", "x", JOURNAL + "9}", ROOM + "1}", ROOM + "2}"])
def test_a_file_that_is_not_a_journal_is_refused(head: str) -> None:
    with pytest.raises(RecordError):
        read_journal([head])
