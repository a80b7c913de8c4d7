"""The queue in which bots and advice think: who comes first, whose turn is next, and what happens to turns given up."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable

from gtp_variants.site.page.thinking_queue import ThinkingQueue
from tests.support.watch import Watch

PATIENCE_S = 60.0


def test_a_person_waits_for_no_game_of_bots_alone() -> None:
    async def test() -> None:
        queue, order, end = ThinkingQueue(1, "test"), list[str](), threading.Event()
        held = asyncio.create_task(queue.run("ann", lambda: lambda: end.wait(PATIENCE_S), is_awaited=False))
        bots = [
            asyncio.create_task(queue.run(name, lambda: lambda: order.append("bots"), is_awaited=False))
            for name in ("ann", "ben", "cora")
        ]
        await asyncio.sleep(0)
        assert (queue.running, queue.count_waiting("ben")) == (1, 1)
        for name in ("dora", "ann"):
            await queue.run(name, lambda: lambda: order.append("person"), is_awaited=True)
        assert order == ["person"] * 2
        end.set()
        assert await held is True
        await asyncio.gather(*bots)
        assert order == ["person"] * 2 + ["bots"] * 3
        queue.close()

    asyncio.run(test())


def test_owners_get_the_same_time_however_much_they_ask_for() -> None:
    watch, order = Watch(), list[str]()
    seconds = {"ann": 10.0, "ben": 2.0}

    def think(name: str) -> Callable[[], None]:
        def work() -> None:
            order.append(name)
            watch.now_s += seconds[name]

        return work

    async def test() -> None:
        queue = ThinkingQueue(1, "test", watch)
        many = [queue.run("ann", lambda: think("ann"), is_awaited=True) for _ in range(20)]
        few = [queue.run("ben", lambda: think("ben"), is_awaited=True) for _ in range(20)]
        await asyncio.gather(*many, *few)
        assert order[:2] == ["ann", "ben"]
        # In the first hundred seconds each has had fifty, give or take a turn.
        assert Counter(order[:24]) == {"ann": 4, "ben": 20}
        # Whoever comes late has no claim on the time before.
        while queue.running:
            await asyncio.sleep(0)
        order.clear()
        seconds["cora"] = 10.0
        again = [queue.run("ann", lambda: think("ann"), is_awaited=True) for _ in range(4)]
        late = [queue.run("cora", lambda: think("cora"), is_awaited=True) for _ in range(4)]
        await asyncio.gather(*again, *late)
        assert order[:4] == ["ann", "cora", "ann", "cora"]
        queue.close()

    asyncio.run(test())


def test_turns_given_up_leave_room_once_their_thread_has_ended() -> None:
    async def test() -> None:
        queue, end = ThinkingQueue(1, "test"), threading.Event()
        held = asyncio.create_task(queue.run("ann", lambda: lambda: end.wait(PATIENCE_S), is_awaited=True))
        waits = asyncio.create_task(queue.run("ann", lambda: lambda: None, is_awaited=True))
        stale = asyncio.create_task(queue.run("ben", lambda: None, is_awaited=True))
        await asyncio.sleep(0)
        for task in (held, waits):
            task.cancel()
        await asyncio.wait([held, waits])
        # A thread that thinks cannot be stopped.
        assert (queue.running, queue.count_waiting("ann")) == (1, 0)
        end.set()
        await stale
        assert await queue.run("ben", lambda: lambda: 7, is_awaited=True) == 7
        assert queue.running == 0
        queue.close()

    asyncio.run(test())
