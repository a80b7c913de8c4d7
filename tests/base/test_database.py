"""A file of SQLite: who may read it, how it is upgraded, what a failed write leaves, what errors say."""

import threading
from pathlib import Path

import pytest

from gtp_variants.base.database import Database, DatabaseError
from gtp_variants.errors import ConfigError

FIRST = "create table games (name text primary key);"
SECOND = "alter table games add column moves integer not null default 0;"


def open_games(path: Path | None) -> Database:
    database = Database(path, "games")
    database.upgrade(2, {0: FIRST + SECOND, 1: SECOND})
    return database


def test_an_older_file_is_upgraded_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "games.sqlite3"
    database = Database(path, "games")
    database.upgrade(1, {0: FIRST})
    database.run_script("insert into games values ('one')")
    database.close()
    database = open_games(path)
    assert database.rows("select * from games") == [("one", 0)]
    database.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_stays_as_it_was_when_its_upgrade_fails(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    database = Database(path, "games")
    database.upgrade(1, {0: FIRST})
    database.close()
    with pytest.raises(DatabaseError, match="cannot be used: near"):
        Database(path, "games").upgrade(2, {1: f"{SECOND} nonsense;"})
    database = open_games(path)
    assert database.rows("select * from games") == []
    database.close()


def test_a_file_of_an_unknown_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    Database(path, "games").upgrade(9, {0: FIRST})
    with pytest.raises(ConfigError, match=r"another version of this program \(9\)"):
        open_games(path)


def add(database: Database, name: str, times: int = 1, fault: Exception | None = None) -> None:
    with database.transaction(f"game {name}") as file:
        for _ in range(times):
            file.execute("insert into games values (?, 0)", (name,))
        if fault is not None:
            raise fault


def test_nothing_is_written_when_a_transaction_fails() -> None:
    database = open_games(None)
    with pytest.raises(DatabaseError, match="game two cannot be saved: UNIQUE"):
        add(database, "two", times=2)
    with pytest.raises(ValueError, match="of the caller"):
        add(database, "three", fault=ValueError("a fault of the caller"))
    assert database.rows("select * from games") == []
    add(database, "four")
    assert database.rows("select name from games") == [("four",)]


def test_an_unreadable_file_is_named() -> None:
    with pytest.raises(DatabaseError, match="games cannot be read: no such table") as found:
        open_games(None).rows("select * from players")
    assert found.value.reason == "no such table: players"


def test_a_transaction_keeps_other_threads_out_until_it_ends() -> None:
    database = open_games(None)
    found: list[object] = []
    reader = threading.Thread(target=lambda: found.extend(database.rows("select name from games")))
    with database.transaction("game one") as file:
        file.execute("insert into games values ('one', 0)")
        reader.start()
        assert not found
        file.execute("update games set name = 'two'")
    reader.join()
    assert found == [("two",)]


def test_a_file_is_copied_although_it_was_deleted(tmp_path: Path) -> None:
    database = open_games(tmp_path / "games.sqlite3")
    database.run_script("insert into games values ('one', 5)")
    (tmp_path / "games.sqlite3").unlink()
    database.save_copy(tmp_path / "rescued.sqlite3")
    database.close()
    rescued = Database(tmp_path / "rescued.sqlite3", "games", "frozen")
    assert rescued.rows("select * from games") == [("one", 5)]
    with pytest.raises(DatabaseError, match="cannot be saved: attempt to write a readonly database"):
        add(rescued, "two")
    rescued.close()
