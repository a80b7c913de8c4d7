"""Slow work is done in pieces between moves, or in a separate process."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pytest

from gtp_variants.cli.compete.server import spare_pauses
from gtp_variants.site.access.accounts import Account
from gtp_variants.site.lobby.lobby import GameFiles
from gtp_variants.site.site_file import SiteStore
from tests.site.lobby.servers import new_game, play, play_on, run

pytest.importorskip("uvicorn", reason="pages need starlette and uvicorn: pip install 'gtp-variants[web]'")

from gtp_variants.site.lobby import pages

P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """A test that is a coroutine, run to its end."""

    @wraps(test)
    def whole(*args: P.args, **kwargs: P.kwargs) -> None:
        run(test(*args, **kwargs))

    return whole


@in_loop
async def test_the_record_of_a_long_game_is_written_in_pieces(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    try:
        files = GameFiles(store.games, tmp_path, print)
        game = new_game("go:size=9")
        game.hosted.clocks.start()
        play_on(game, 60)
        play(game, "resign")
        assert game.result
        filing = asyncio.create_task(files.file(game))
        # Moves of other games are played between the pieces.
        turns = 0
        while not filing.done():
            assert not list(tmp_path.glob("records/*.sgf"))
            turns += 1
            await asyncio.sleep(0)
        assert turns >= 3
        assert len(list(tmp_path.glob("records/*.sgf"))) == 1
    finally:
        store.close()


@pytest.fixture
def archive_folder(tmp_path: Path) -> Path:
    store = SiteStore(tmp_path / "server.sqlite3")
    store.accounts.write(Account("alpha", "x"))
    row = ("alpha", "aleago", 1600.0, 60.0, 0.06, 30)
    store.database.write("a rating", "insert into ratings values (?, ?, ?, ?, ?, ?)", row)
    game = new_game("aleago:size=5")
    game.hosted.clocks.start()
    play_on(game, 3)
    store.games.write(game)
    store.close()
    return tmp_path


def _asked(**words: object) -> pages.PageVisit:
    return pages.PageVisit("en", 9, "", words, (), (), ())


def test_a_game_that_is_on_has_a_page_that_reveals_no_dice(archive_folder: Path) -> None:
    archive = SiteStore(archive_folder / "server.sqlite3", "read", {"alpha": 2000.0})
    try:
        assert [pages.sgf(archive, number) for number in ("1", "2")] == [None, None]
        page = pages.game(archive, _asked(number=1))
        assert page is not None
        assert (bytes([1]) * 32).hex() not in page
        assert pages.game(archive, _asked(number=2)) is None
        player = pages.player(archive, _asked(name="alpha"))
        assert player is not None
        assert "2000" in player
    finally:
        archive.close()


@pytest.mark.slow
@in_loop
async def test_a_full_garbage_collection_leaves_out_what_was_loaded() -> None:
    before = gc.get_threshold()
    task = asyncio.create_task(spare_pauses())
    try:
        await asyncio.sleep(0)
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold()[2] > 1000
    finally:
        task.cancel()
        gc.unfreeze()
        gc.set_threshold(*before)
