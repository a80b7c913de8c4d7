"""Moves that have to go: asking the server or the opponent to take them back, and what is done about wrong stones.

A move of the server's that does not replay under our rules is a wrong stone. Until it is settled nothing is played.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.base_game import FollowedGame
from gtp_variants.bridge.core.config import LET_STAND, STOP
from gtp_variants.bridge.core.game_sync import ReplayFault, Step
from gtp_variants.bridge.core.server import AT_ONCE, NEVER, PLAYING, SCORING, ServerGame
from gtp_variants.players.clock import NO_LIMIT


class AskedUndo:
    """The last move, where we asked for it to be taken back, and what is done if it is not."""

    def __init__(self, game: FollowedGame) -> None:
        self._game = game
        self._timer: asyncio.TimerHandle | None = None
        self._if_not_undone: Callable[[], Awaitable[None]] | None = None
        # The connection and the moves with which the game stands still until the last of them has gone; and the steps
        # that happen between us instead, by the number of moves that have gone.
        self._standing_still: tuple[object, object] | None = None
        self._steps_instead: Mapping[int, tuple[Step, ...]] = {}

    @property
    def wait_s(self) -> float:
        """The time that we wait for the move to go, in seconds."""
        game = self._game
        clock = game.state.clocks.get(game.state.colour, NO_LIMIT)
        return policies.undo_wait_s(game.context.config().policies, clock)

    @property
    def is_standing_still(self) -> bool:
        """True if the game stands still until a move has gone."""
        return self._standing_still is not None

    async def ask(self, if_not_undone: Callable[[], Awaitable[None]]) -> None:
        """Ask for the last move to go, and do something if it is refused, or still there after a while."""
        self._if_not_undone = if_not_undone
        self.start_later(self.wait_s, if_not_undone)
        await self._game.server.undo(self._game.state)

    def refuse(self) -> None:
        """Take in that the move is not taken back."""
        work, self._if_not_undone = self._if_not_undone, None
        if work is not None and self._timer is not None:
            self.stop_timer()
            self._game.turn.start(work)

    def start_later(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do something later, unless a move came or went before."""
        self.stop_timer()
        game, moves = self._game, self._game.state.moves

        def start() -> None:
            if game.state.moves == moves and not game.is_over:
                game.turn.start(work)

        self._timer = asyncio.get_running_loop().call_later(seconds, start)

    def stop_timer(self) -> None:
        """Wait for nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def stand_still(self, steps_instead: Mapping[int, tuple[Step, ...]] | None = None) -> None:
        """Let the game stand still until its last move has gone."""
        self._standing_still = self._game.server, self._game.state.moves
        self._steps_instead = steps_instead or {}

    def holds_up(self, state: ServerGame) -> bool:
        """Return True if a state is still the one in which the game stands still."""
        is_same = self._standing_still == (self._game.server, state.moves)
        return is_same and state.phase in (PLAYING, SCORING)

    def end(self, gone: int) -> tuple[Step, ...]:
        """Let the game go on, so many moves having gone; the steps that happen between us instead."""
        steps = self._steps_instead.get(gone, ())
        self._standing_still, self._steps_instead = None, {}
        return steps


class WrongStones:
    """A stone on the server that our rules forbid: it is taken back, let stand, or ends the game."""

    def __init__(self, game: FollowedGame, undo: AskedUndo) -> None:
        self._game, self._undo = game, undo
        # The connection and the moves of which the last is in dispute.
        self._disputed: tuple[object, object] | None = None

    @property
    def is_disputed(self) -> bool:
        """True if a stone is in dispute now."""
        return self._disputed is not None

    def settle(self) -> None:
        """Take in that all moves replay."""
        self._disputed = None
        self._undo.stop_timer()

    def _begin(self) -> bool:
        """Begin a dispute; False where it has begun already."""
        now = self._game.server, self._game.state.moves
        is_new = self._disputed != now
        self._disputed = now
        return is_new

    async def dispute(self, fault: ReplayFault) -> None:
        """A move of the server's does not replay: that is a state to settle, and until then nothing is played."""
        if not self._begin():
            return
        game = self._game
        game.cancel()
        why = game.chat.why(fault)
        game.log(f"dispute: step {fault.index + 1}, {fault.step.word}: {why}")
        config, abilities = game.context.config().policies, game.server.abilities
        is_theirs = fault.step.colour != game.state.colour and fault.index == len(game.steps()) - 1
        game.stored = replace(game.stored, warnings=game.stored.warnings + 1)
        game.save()
        if not is_theirs or abilities.undo == NEVER or game.stored.warnings > config.warnings:
            await self._end(fault, why)
            return
        key = "bridge.wrong" if abilities.undo == AT_ONCE else "bridge.wrong_ask"
        await game.chat.say(key, why=why, open=game.chat.open_points())
        if abilities.undo == AT_ONCE:
            await self._ask_undo(fault, why)
        else:
            self._undo.start_later(self._undo.wait_s, lambda: self._ask_undo(fault, why))

    async def _ask_undo(self, fault: ReplayFault, why: str) -> None:
        await self._undo.ask(lambda: self._end(fault, why))

    async def _end(self, fault: ReplayFault, why: str) -> None:
        """The stone stays on the server: let it stand, or end the game."""
        game, policy = self._game, self._game.context.config().policies.illegal
        is_last = fault.index == len(game.steps()) - 1
        if policy == LET_STAND and fault.reason == "line" and is_last:
            number = len(game.state.moves) - 1
            game.stored = replace(game.stored, let_stand=(*game.stored.let_stand, number))
            if game.replay.follow(game.steps()) is None:
                await game.chat.say("bridge.wrong_stays", why=why)
                await game.update(game.state)
                return
        await game.chat.say("bridge.wrong_end", why=why)
        await game.leave(policy == STOP)
