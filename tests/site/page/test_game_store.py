"""The page's store: journals that are only appended to, and games of older versions."""

import json
import sqlite3
from pathlib import Path

from gtp_variants.players.agreements import Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.json import to_json
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, RESIGN, WHITE
from gtp_variants.site.page.game_store import PageStore
from gtp_variants.site.page.page_game import load_game

OLD = Path(__file__).parents[2] / "records" / "data" / "old_games"


def test_games_of_an_older_version_continue_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "web.sql").read_text(encoding="utf-8"))
    file.close()
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    store = PageStore(path)
    names = list(store.ids(9))
    assert {f"web {name}" for name in names} == {name for name in expected if name.startswith("web")}
    for name in names:
        game = load_game(name, store.load(name))
        assert json.loads(to_json(game.hosted.record)) == expected[f"web {name}"]["record"]
        if not game.hosted.is_over:
            game.hosted.play(BLACK, RESIGN)
        store.write(name, game.hosted.lines, game.hosted.is_over)
    store.close()
    store = PageStore(path)
    for name in names:
        game = load_game(name, store.load(name))
        assert game.hosted.is_over
        assert store.load(name) == game.hosted.lines
    store.close()


def test_lines_are_only_added_and_go_with_their_game() -> None:
    store = PageStore(None)
    hosted = HostedGame.new(new_record(parse("go:size=5")), dict.fromkeys((BLACK, WHITE), Participant()))
    for point in (0, 1, 2):
        hosted.play(hosted.table.position.mover, point)
        store.write("a game", hosted.lines, hosted.is_over)
        assert store.load("a game") == hosted.lines
    hosted.play(BLACK, RESIGN)
    store.write("a game", hosted.lines, hosted.is_over)
    assert store.count() == 1
    assert store.forget_over(1) == 1
    assert store.load("a game") == []


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite3"
    path.touch(mode=0o644)
    store = PageStore(path)
    store.write("game", ["line"], is_over=False)
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    store.close()
    assert set(modes.values()) == {0o600}, modes
