"""Tasks that nobody waits for, and work put off until later."""

import asyncio

from gtp_variants.base.tasks import BackgroundTasks, Timers
from gtp_variants.errors import PeerGone
from tests.support.waiting import until


async def test_an_error_of_a_task_is_noted() -> None:
    noted: list[Exception] = []
    tasks = BackgroundTasks(noted.append, PeerGone)

    async def fail() -> None:
        raise PeerGone("cut")

    tasks.start(fail())
    await tasks.finish(60.0)
    assert [str(error) for error in noted] == ["cut"]


async def test_a_task_that_takes_too_long_is_cancelled() -> None:
    tasks = BackgroundTasks(lambda error: None)
    forever = asyncio.Event()
    tasks.start(wait := asyncio.ensure_future(_wait(forever)))
    await tasks.finish(0.0)
    await until(wait.cancelled, "the cancellation")


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


async def test_work_of_the_same_key_is_begun_once_and_stopped_work_never() -> None:
    begun: list[str] = []
    timers = Timers[str](begun.append)
    timers.set("a", 0.0, "replaced")
    timers.set("a", 0.0, "first")
    timers.add(0.0, "second")
    timers.set("b", 0.0, "stopped")
    timers.stop("b")
    assert "a" in timers
    assert "b" not in timers
    await until(lambda: len(begun) == 2, "both")
    assert begun == ["first", "second"]
    assert "a" not in timers
    timers.add(0.0, "too late")
    timers.stop_all()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert begun == ["first", "second"]
