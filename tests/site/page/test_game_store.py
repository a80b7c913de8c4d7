"""The page's store: journals that are only appended to, and games of older versions."""

import json
import sqlite3
import time
from pathlib import Path

from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.players.agreements import Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.json import to_json
from gtp_variants.records.notation import write_game
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, RESIGN, WHITE
from gtp_variants.site.access.passwords import load_key
from gtp_variants.site.game_store import GameStore
from gtp_variants.site.page.opponents import Opponents
from gtp_variants.site.page.page_game import PageGame, new_game
from gtp_variants.site.page.seat_locks import is_token
from gtp_variants.site.site_file import open_site

OLD = Path(__file__).parents[2] / "records" / "data" / "old_games"


def replayed(store: GameStore, name: str) -> PageGame:
    stored = store.load(name)
    assert stored is not None
    return stored.replay()


def test_no_player_sees_the_file_of_a_site(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    open_site(path).close()
    assert {path, tmp_path / "games.sqlite3-wal"} <= SECRET_PLACES
    load_key(tmp_path / "session.key")
    assert tmp_path / "session.key" in SECRET_PLACES


def test_games_of_an_older_version_continue_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "web.sql").read_text(encoding="utf-8"))
    file.close()
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    database = open_site(path)
    store = GameStore(database)
    names = list(store.ids(9))
    assert {f"web {name}" for name in names} == {name for name in expected if name.startswith("web")}
    for name in names:
        game = replayed(store, name)
        assert json.loads(to_json(game.hosted.record)) == expected[f"web {name}"]["record"]
        if not game.hosted.is_over:
            game.hosted.play(BLACK, RESIGN)
        store.write(game)
    database.close()
    database = open_site(path)
    store = GameStore(database)
    for name in names:
        game = replayed(store, name)
        assert game.hosted.is_over
    database.close()


def test_the_page_takes_over_its_file_of_version_4(tmp_path: Path) -> None:
    path = tmp_path / "web.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "web4.sql").read_text(encoding="utf-8"))
    file.close()
    for _ in (1, 2):
        database = open_site(path)
        store = GameStore(database)
        assert (store.count(), sorted(store.ids(9))) == (2, ["kept-in-the-middle-of-it", "kept-with-an-open-seat"])
        names = sorted(store.ids(9))
        middle, opened = (replayed(store, name) for name in names)
        played = [list(words) for words in write_game(middle.hosted.table.game)]
        assert played == [["b", "C3"], ["w", "C3"], ["w", "D4"]]
        assert is_token("GfEGGjQWPlitoQI5xahr7A", middle.locks[BLACK].token)
        assert opened.hosted.seats[BLACK].name == "Ann"
        assert (opened.is_claimed(BLACK), opened.is_claimed(WHITE)) == (True, False)
        assert is_token("BCucTnM1VNXqYlgkA_xJlQ", opened.locks[WHITE].invitation)
        # A game without a move makes room before others.
        assert store.idle(False, -1.0) == ["kept-with-an-open-seat"]
        dice = json.loads(store.load_dice("kept-dice") or "")
        assert dice["spec"].startswith("aleago:size=9,dice=1d4")
        database.close()


def test_lines_are_only_added_and_go_with_their_game() -> None:
    store = GameStore(open_site(None))
    hosted = HostedGame.new(new_record(parse("go:size=5")), dict.fromkeys((BLACK, WHITE), Participant()))
    game = PageGame("a game", hosted)
    for point in (0, 1, 2):
        hosted.play(hosted.table.position.mover, point)
        store.write(game)
        assert replayed(store, "a game").hosted.lines == hosted.lines
    hosted.play(BLACK, RESIGN)
    store.write(game)
    assert store.count() == 1
    assert store.forget_over(1) == ["a game"]
    assert store.load("a game") is None


def test_a_file_of_version_6_gets_a_place_for_chats(tmp_path: Path) -> None:
    database = open_site(tmp_path / "games.sqlite3")
    database.run_script("drop table chat; pragma user_version = 6")
    database.close()
    database = open_site(tmp_path / "games.sqlite3")
    assert database.rows("select * from chat") == []
    database.close()


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    path.touch(mode=0o644)
    database = open_site(path)
    GameStore(database).write(PageGame("game", HostedGame.new(new_record(parse("go:size=5")), {})))
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    database.close()
    assert set(modes.values()) == {0o600}, modes


def test_games_among_friends_without_an_account_are_forgotten() -> None:
    store = GameStore(open_site(None))
    for visitor in ("ann", "~guest"):
        for asked in ({"referee": True}, {"seats": {"b": {"kind": "invited"}, "w": {"kind": "invited"}}}):
            game, _ = new_game({"spec": "go:size=5"} | asked, Opponents(), visitor)
            store.write(game)
            store.write_locks(game.name, game.locks)
    mine = {each.name for each in map(store.replay, store.ids(9)) if "ann" in (each.owner, *each.find_owners())}
    gone = set(store.ids(9)) - mine
    assert set(store.forget_guests(time.time() + 1)) == gone
    assert (len(gone), set(store.ids(9))) == (2, mine)
