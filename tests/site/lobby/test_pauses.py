"""Slow work is done in pieces between moves, or in a separate process."""

import asyncio
import gc
import itertools
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pytest

from gtp_variants.cli.compete.server import spare_pauses
from gtp_variants.site.access.accounts import Account
from gtp_variants.site.lobby.game_files import BackgroundWork, GameFiles
from gtp_variants.site.site_file import SiteStore
from tests.site.lobby.servers import new_game, play, play_on, run
from tests.support.waiting import until

pytest.importorskip("uvicorn", reason="pages need starlette and uvicorn: pip install 'gtp-variants[web]'")

from gtp_variants.site.lobby import pages

P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """A test that is a coroutine, run to its end."""

    @wraps(test)
    def whole(*args: P.args, **kwargs: P.kwargs) -> None:
        run(test(*args, **kwargs))

    return whole


def pieces(name: str, count: int, done: list[str]) -> Iterator[None]:
    for number in range(count):
        done.append(f"{name}{number}")
        yield


@in_loop
async def test_work_is_done_a_piece_a_turn_in_the_order_it_came() -> None:
    done: list[str] = []
    work = BackgroundWork()
    work.add(pieces("a", 3, done))
    work.add(pieces("b", 2, done))
    # What is short is done at once.
    assert done == ["a0", "b0"]
    seen = []
    while len(work):
        seen.append(len(done))
        await asyncio.sleep(0)
    assert done == ["a0", "b0", "a1", "a2", "b1"]
    assert all(later - before <= 1 for before, later in itertools.pairwise(seen))


@in_loop
async def test_pending_work_finishes_at_shutdown() -> None:
    done: list[str] = []
    work = BackgroundWork()
    work.add(pieces("a", 30, done))
    work.finish()
    assert len(done) == 30
    await asyncio.sleep(0)
    assert len(done) == 30


@in_loop
async def test_a_piece_that_fails_holds_up_no_other_work() -> None:
    def fail() -> Iterator[None]:
        yield
        raise OSError("full")

    done: list[str] = []
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, said: failures.append(said["exception"]))
    work = BackgroundWork()
    work.add(fail())
    work.add(pieces("a", 2, done))
    await until(lambda: not len(work))
    assert done == ["a0", "a1"]
    assert [str(failure) for failure in failures] == ["full"]


@in_loop
async def test_the_record_of_a_long_game_is_written_in_pieces(tmp_path: Path) -> None:
    store, background = SiteStore(tmp_path / "server.sqlite3"), BackgroundWork()
    try:
        files = GameFiles(store.games, tmp_path, print)
        game = new_game("go:size=9")
        game.hosted.clocks.start()
        play_on(game, 60)
        play(game, "resign")
        assert game.result
        # What waits does so for turns in which moves are played as well.
        background.add(files.file(game))
        assert not list(tmp_path.glob("records/*.sgf"))
        turns = 0
        while len(background):
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


def test_a_game_that_is_on_has_a_page_that_reveals_no_dice(archive_folder: Path) -> None:
    archive = SiteStore(archive_folder / "server.sqlite3", "read", {"alpha": 2000.0})
    try:
        assert [pages.sgf(archive, number) for number in (1, 2)] == [None, None]
        page = pages.game(archive, 1, "en")
        assert page is not None
        assert (bytes([1]) * 32).hex() not in page
        assert pages.game(archive, 2, "en") is None
        player = pages.player(archive, "alpha", 9, "en")
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
