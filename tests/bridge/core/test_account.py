"""Shared parts of a session: hooks run once per end, and the configuration includes names from lists."""

import sys
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import cast

from gtp_variants.base.tasks import BackgroundTasks
from gtp_variants.bridge.core.account import Hooks, ListedConfig
from gtp_variants.bridge.core.config import HookConfig
from tests.bridge.fakes.noting import account_of, noting_server
from tests.bridge.fakes.running_bridge import config_of


class _Killed:
    """The tasks of a program that is killed before they begin."""

    def start(self, work: Coroutine[object, object, None]) -> None:
        work.close()


def _raise(error: Exception) -> None:
    raise error


async def test_an_unreported_end_is_reported_by_the_next_run(tmp_path: Path) -> None:
    account, told = account_of(tmp_path, noting_server([])), tmp_path / "told"
    code = "import os, pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write(os.environ['GTP_VARIANTS_RESULT'] + ' ')"
    hook = HookConfig(on_game_end=(sys.executable, "-c", code, str(told)))
    account.settings.config = replace(account.config, hooks=hook)
    killed = cast(BackgroundTasks, _Killed())
    Hooks(account, killed).tell_of_end("one", "B+R", tmp_path / "a-game.sgf", {1: "botty", 2: "alpha"})
    assert not told.exists()
    for _ in range(2):
        background = BackgroundTasks(_raise)
        Hooks(account, background).tell_earlier_ends()
        await background.finish(60.0)
    assert told.read_text() == "B+R "


async def test_without_a_hook_an_end_is_only_logged(tmp_path: Path) -> None:
    account = account_of(tmp_path, noting_server([]))
    Hooks(account, BackgroundTasks(_raise)).tell_of_end("one", "", tmp_path / "a-game.sgf", {})
    assert account.log.lines == ["one: over, the server does not say how"]  # type: ignore[attr-defined]
    assert not (account.config.outputs.folder / "ended").exists()


async def test_a_new_configuration_keeps_its_name_and_the_names_of_lists(tmp_path: Path) -> None:
    listed, said = tmp_path / "blocked", list[str]()
    listed.write_text("Alpha\n")
    more = f"challenges: {{block: [bravo], block_lists: ['{listed}']}}\n"
    settings = ListedConfig(config_of("nngs", 1, tmp_path, more), said.append)
    assert list(settings.config.challenges.block) == ["bravo"]
    await settings.refresh()
    assert list(settings.config.challenges.block) == ["bravo", "Alpha"]
    other = config_of("nngs", 1, tmp_path, more.replace("bravo", "carol"), name="other")
    settings.replace(other)
    assert list(settings.config.challenges.block) == ["carol", "Alpha"]
    assert settings.config.name == "botty"
    assert said == ["name, role and outputs.dir stay as they are until the next start"]
