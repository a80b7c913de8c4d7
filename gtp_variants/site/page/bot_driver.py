"""Lets bots play: they think in threads, which a fair queue shares, and act in the same way as people."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from gtp_variants.base.processes.cores import usable_cores
from gtp_variants.players.agreements import BOT
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.table import view_to_move
from gtp_variants.rules.actions import FORFEIT, Event
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.turn_rules import others
from gtp_variants.site.page.listeners import PageLimits
from gtp_variants.site.page.opponents import Opponents, SeatedBot
from gtp_variants.site.page.page_game import PageGame
from gtp_variants.site.page.thinking_queue import ThinkingQueue

_log = logging.getLogger("gtp_variants.site.page")

# Where tries may be refused privately, a bot's delay is a multiple of this many pauses, to hide how many tries it made.
_PRIVATE_STEPS = 4


class BotDriver:
    """Lets the bots of games act, and calls `announce` with the game after each action."""

    def __init__(self, limits: PageLimits, opponents: Opponents, announce: Callable[[PageGame], None]) -> None:
        self._pause_at_least_s = limits.pause_s
        self._opponents = opponents
        self._announce = announce
        self._bots: dict[tuple[str, int, int], SeatedBot] = {}
        self._driving: dict[str, asyncio.Task[None]] = {}
        self._thinking = ThinkingQueue(limits.threads, "bot")
        # The cores that bots share; the server keeps the others.
        self._cores = min(limits.threads, usable_cores())
        # Engines think in other processes. Our bots must not wait for them, so other threads await engines.
        self._awaiting = ThinkingQueue(limits.engines, "engine")
        self._dismissing = ThreadPoolExecutor(limits.engines, thread_name_prefix="dismissal")

    async def close(self) -> None:
        """Stop all bots and release the threads."""
        tasks = list(self._driving.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._thinking.close()
        self._awaiting.close()
        self._dismissing.shutdown(wait=False, cancel_futures=True)

    def go_on(self, game: PageGame) -> None:
        """Let the bots of a game act if it is a bot's turn."""
        if game.name not in self._driving and self._find_bot_to_act(game) is not None:
            task = asyncio.create_task(self._drive(game))
            self._driving[game.name] = task
            task.add_done_callback(_log_failure)

    def stop(self, game: PageGame) -> None:
        """Stop the bots of a game and dismiss them."""
        task = self._driving.pop(game.name, None)
        if task is not None:
            task.cancel()
        self.dismiss(game)

    def dismiss(self, game: PageGame) -> None:
        """Make the bots of a game leave the game; a bot that fails to leave is no concern of the game."""
        for key in [key for key in self._bots if key[0] == game.name]:
            bot = self._bots.pop(key)
            with suppress(RuntimeError):  # raised while the server is closing
                self._dismissing.submit(bot.leave)

    def _find_bot_to_act(self, game: PageGame) -> int | None:
        colour = game.hosted.asked()
        if colour is None or game.hosted.seats[colour].kind != BOT or game.awaits_players:
            return None
        # If this server does not have the engine, the game waits for a server that has it.
        return colour if self._opponents.knows(game.hosted.seats[colour].name) else None

    async def _drive(self, game: PageGame) -> None:
        """Let the bots of a game act, one after another, until no bot is to move."""
        try:
            heard_s = time.monotonic()
            while (colour := self._find_bot_to_act(game)) is not None:
                if await self._let_act(game, colour, heard_s):
                    heard_s = time.monotonic()
        finally:
            # Remove this task now, so that the next action can start another.
            if self._driving.get(game.name) is asyncio.current_task():
                del self._driving[game.name]

    async def _let_act(self, game: PageGame, colour: int, heard_s: float) -> bool:
        """Let one bot act. Return True if other seats get news. Their last news came at `heard_s` (time.monotonic)."""
        begun, is_heard = moment_of(game.hosted), True
        try:
            action = await self._choose_action(game, colour)
            is_heard = action is None or moment_of(game.hosted) != begun or others_hear(game.hosted, colour, action)
            if is_heard:
                await asyncio.sleep(self._pause_s(game, time.monotonic() - heard_s))
            if action is None or moment_of(game.hosted) != begun:
                # Something else happened meanwhile, such as a resignation or an undo, so drop the action.
                return True
            game.answer(colour, action)
        except Exception as error:
            _log.warning(
                "%s in game %s failed: %s", game.hosted.seats[colour].name, game.name[:6], error, exc_info=True
            )
            if moment_of(game.hosted) != begun:
                return True
            if not game.hosted.is_over:
                game.answer(colour, FORFEIT)
        self._announce(game)
        return is_heard

    def _pause_s(self, game: PageGame, spent_s: float) -> float:
        """Return the seconds that a bot waits after thinking for `spent_s`, so that people can follow the game.

        There is no pause where the bot's clock would pay for it, except where tries may be refused privately: there a
        pause ends at a multiple of a fixed step, so that its length does not reveal how many tries there were.
        """
        rules, pause_s = game.hosted.rules, self._pause_at_least_s
        if not (isinstance(rules, HiddenRules) and rules.refusal_is_private):
            return max(0.0, pause_s - spent_s) if game.hosted.clocks.control.kind == "none" else 0.0
        step_s = _PRIVATE_STEPS * pause_s
        return step_s - spent_s % step_s if step_s else 0.0

    async def _choose_action(self, game: PageGame, colour: int) -> int | None:
        """Return a bot's choice, or None if something happened before its turn to think came."""
        hosted, seat, begun = game.hosted, game.hosted.seats[colour], moment_of(game.hosted)
        key = game.name, colour, hosted.epoch
        bot = self._bots.get(key)
        if bot is None:
            cores = max(1, self._cores // (self._thinking.running + 1))
            bot = self._bots[key] = SeatedBot(self._opponents.make(seat.name, seat.level), hosted, colour, cores)

        def prepare() -> Callable[[], int] | None:
            if moment_of(hosted) != begun:
                return None
            # Its clock has run while it waited.
            table, clock = hosted.table, hosted.clocks.clock(colour)
            return partial(bot.choose, table.game.heard(colour), view_to_move(table, colour), clock)

        queue = self._awaiting if self._opponents.is_elsewhere(seat.name) else self._thinking
        return await queue.run(
            game.thinker, prepare, is_awaited=any(each.kind != BOT for each in hosted.seats.values())
        )


def moment_of(hosted: HostedGame) -> tuple[int, int, int | None]:
    """Return a key that changes with every event and undo, but not with proposals, which must not delay a bot."""
    return hosted.epoch, len(hosted.table.game.events), hosted.asked()


def others_hear(hosted: HostedGame, colour: int, action: int) -> bool:
    """Return True if this action would be news to any other seat."""
    rules, before = hosted.rules, hosted.table.position
    if rules.is_open or action < 0 or before.mover != colour:
        return True
    event, after = Event(colour, action), rules.play(before, action)
    return any(rules.hears(before, event, after, other) is not None for other in others(rules.colours, colour))


def _log_failure(done: "asyncio.Task[None]") -> None:
    if not done.cancelled() and done.exception() is not None:
        _log.error("the bots of a game stopped", exc_info=done.exception())
