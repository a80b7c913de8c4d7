"""The games of an account: how they begin, end, and are ended that nobody saw the end of."""

from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core import games_in_progress
from gtp_variants.bridge.core.account import AccountState, Hooks
from gtp_variants.bridge.core.base_game import BaseGame
from gtp_variants.bridge.core.games_in_progress import GamesInProgress
from gtp_variants.bridge.core.server import OVER, PastGames, ServerGame
from tests.bridge.fakes.noting import Asked, account_of, noting_server

STATE = ServerGame("nngs-1", 5, 1, {1: "botty", 2: "alpha"})


class _Past(PastGames):
    def has_lost(self, key: str, players: object) -> bool:
        return True


class _Table:
    """The games of an account whose server notes what it is asked."""

    def __init__(self, folder: Path, asked: Asked, kind: str = "nngs", **abilities: bool) -> None:
        self.server = noting_server(asked, **abilities)
        self.server.__dict__["past"] = _Past()
        self.account: AccountState = account_of(folder, self.server, kind=kind)
        self.background = BackgroundTasks(lambda error: None)
        self.begun: list[tuple[str, bool]] = []
        self.ended: list[BaseGame] = []
        hooks = Hooks(self.account, self.background)
        self.games = GamesInProgress(self.account, hooks, self.background, None, self._begin, self._end)

    def _begin(self, game: BaseGame, is_new: bool) -> None:
        self.begun.append((game.state.key, is_new))

    async def _end(self, game: BaseGame) -> None:
        self.ended.append(game)

    async def close(self) -> None:
        self.games.let_go_of_all()
        await self.background.finish(60.0)


async def test_a_game_begins_with_its_first_state_and_ends_with_its_last(tmp_path: Path) -> None:
    table = _Table(tmp_path, [], challenges=True)
    await table.games.update(STATE)
    assert table.begun == [("nngs-1", True)]
    assert table.games.is_playing
    assert table.games.find_with("alpha") is table.games.by_key["nngs-1"]
    await table.games.update(replace(STATE, moves=((1, "C3"),)))
    assert table.account.counters.moves == 1
    await table.games.update(replace(STATE, moves=((1, "C3"),), phase=OVER, result="B+R"))
    assert [game.state.result for game in table.ended] == ["B+R"]
    assert table.account.counters.results == {"won": 1}
    assert not table.games.is_playing
    assert list(table.games.store) == []
    await table.close()


async def test_a_game_that_cannot_be_played_is_resigned(tmp_path: Path) -> None:
    asked: Asked = []
    table = _Table(tmp_path, asked, challenges=True)
    state = replace(STATE, handicap=77)
    await table.games.update(state)
    assert asked == [("resign", state)]
    assert table.begun == []
    await table.close()


async def test_where_games_are_paired_a_new_one_ends_the_unseen_last_one(tmp_path: Path) -> None:
    table = _Table(tmp_path, [])
    await table.games.update(STATE)
    table.games.seen.clear()
    await table.games.update(replace(STATE, key="nngs-2"))
    assert [game.state.key for game in table.ended] == ["nngs-1"]
    assert list(table.games.by_key) == ["nngs-2"]
    await table.close()


@pytest.mark.parametrize("is_new_run", [False, True])
async def test_a_game_that_the_server_has_lost_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new_run: bool
) -> None:
    monkeypatch.setattr(games_in_progress, "SEEN_WITHIN_S", 0.0)
    first = _Table(tmp_path, [], challenges=True)
    await first.games.update(STATE)
    second = first
    if is_new_run:
        await first.close()
        second = _Table(tmp_path, [], challenges=True)
    second.games.seen.clear()
    await second.games.close_lost(second.server)
    assert second.account.counters.results == {"unknown": 1}
    assert list(second.games.store) == []
    await second.close()


async def test_after_too_many_failures_no_game_is_opened(tmp_path: Path) -> None:
    table = _Table(tmp_path, [], challenges=True)
    table.games.failed_in_a_row = table.account.config.engine.failed_games
    assert table.games.has_too_many_failures
    await table.games.update(STATE)
    assert not table.games.by_key
    await table.close()
