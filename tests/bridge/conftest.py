"""Tests that are coroutines are run to their end, within a deadline, and the dice of a test are always the same."""

import inspect
from collections.abc import Awaitable, Callable
from random import Random

import pytest

from gtp_variants.base.connection_gate import TokenBuckets
from gtp_variants.bridge.core.go_server_game import AskedUndo
from tests.bridge.fakes.running_bridge import run


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def test_...`; any other test is pytest's."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(autouse=True)
def _same_dice(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive the secrets of games, from which their dice and the choices of bots follow, from the name of the test."""
    monkeypatch.setattr("gtp_variants.bridge.core.state_store.token_bytes", Random(request.node.name).randbytes)


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time go by where answers are limited, so that no more of them are given on a slow machine."""
    allows = TokenBuckets.allows
    monkeypatch.setattr(TokenBuckets, "allows", lambda self, user, now_s: allows(self, user, 0.0))


@pytest.fixture
def endless_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot's request for an undo never run out, so that an answer to it comes in time on any machine."""
    ask = AskedUndo.ask

    async def ask_for_ever(undo: AskedUndo, if_not_undone: Callable[[], Awaitable[None]]) -> None:
        monkeypatch.setattr(AskedUndo, "wait_s", 3600.0)
        await ask(undo, if_not_undone)

    monkeypatch.setattr(AskedUndo, "ask", ask_for_ever)
