"""A game under any of our rules on a server that knows only Go. We follow the moves there and settle the rest by chat.

Each state from the server updates our table to the same moves. A move that is illegal by our rules is called a wrong
stone: nothing is played until the matter is settled.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from gtp_variants.base.json_values import Json
from gtp_variants.bridge.core import game_sync, policies, server as core
from gtp_variants.bridge.core.base_game import DecisionKey, FollowedGame, GameContext
from gtp_variants.bridge.core.chat import GameChat
from gtp_variants.bridge.core.config import LET_STAND, STOP, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.game_sync import RESUMED, ReplayedGame, ReplayFault, Step
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import IllegalMove, PeerError, PeerGone, RecordError
from gtp_variants.players.agreements import follow_in_match, tell_match
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.players.table import Table, change_dead
from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record
from gtp_variants.rules import AMONG_PEOPLE, split_spec
from gtp_variants.rules.actions import CHANCE, EMPTY, FLAG, FORFEIT, PASS, RESIGN, SETTLE
from gtp_variants.rules.boards.chains import chain, chains
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules


class AskedUndo:
    """Our request to have the last move taken back, and what follows if the move stays."""

    def __init__(self, game: "GoGame") -> None:
        self._game = game
        self._timer: asyncio.TimerHandle | None = None
        self._if_not_undone: Callable[[], Awaitable[None]] | None = None
        # The connection and moves with which the game waits until its last move is taken back; and the private steps
        # that then replace the removed moves, by the number of moves removed.
        self._standing_still: tuple[object, object] | None = None
        self._steps_instead: Mapping[int, tuple[Step, ...]] = {}

    @property
    def wait_s(self) -> float:
        """The number of seconds to wait for the move to be taken back."""
        game = self._game
        clock = game.state.clocks.get(game.state.colour, NO_LIMIT)
        # Our clock may be running meanwhile, so wait at most a quarter of our time.
        return min(game.config.policies.undo_wait_s, clock.longest_s / 4)

    @property
    def is_standing_still(self) -> bool:
        return self._standing_still is not None

    async def ask(self, if_not_undone: Callable[[], Awaitable[None]]) -> None:
        """Ask for the last move to be taken back; call `if_not_undone` if that is refused or takes too long."""
        self._if_not_undone = if_not_undone
        self.start_later(self.wait_s, if_not_undone)
        await self._game.server.undo(self._game.state)

    def refuse(self) -> None:
        """Note that the request has been refused, and start the work that `ask` was given for this case."""
        work, self._if_not_undone = self._if_not_undone, None
        if work is not None and self._timer is not None:
            self.stop_timer()
            self._game.turn.start(work)

    def start_later(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Start `work` after some seconds, unless the moves have changed or the game is over by then."""
        self.stop_timer()
        game, moves = self._game, self._game.state.moves

        def start() -> None:
            if game.state.moves == moves and not game.is_over:
                game.turn.start(work)

        self._timer = asyncio.get_running_loop().call_later(seconds, start)

    def stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def stand_still(self, steps_instead: Mapping[int, tuple[Step, ...]] | None = None) -> None:
        """Make the game wait for its undo. `steps_instead`: the private steps to add, by the number of moves undone."""
        self._standing_still = self._game.server, self._game.state.moves
        self._steps_instead = steps_instead or {}

    def holds_up(self, state: core.ServerGame) -> bool:
        """Return True if the game is still waiting in this state."""
        is_same = self._standing_still == (self._game.server, state.moves)
        return is_same and state.phase in (core.PLAYING, core.SCORING)

    def end(self, gone: int) -> tuple[Step, ...]:
        """End the wait after `gone` moves were removed, and return the private steps that replace them."""
        steps = self._steps_instead.get(gone, ())
        self._standing_still, self._steps_instead = None, {}
        return steps


class WrongStones:
    """A stone on the server that our rules forbid: it is taken back, accepted, or ends the game."""

    def __init__(self, game: "GoGame", undo: AskedUndo) -> None:
        self._game, self._undo = game, undo
        # The connection, and the moves of which the last is disputed.
        self._disputed: tuple[object, object] | None = None

    @property
    def is_disputed(self) -> bool:
        return self._disputed is not None

    def settle(self) -> None:
        """Note that all moves are legal."""
        self._disputed = None
        self._undo.stop_timer()

    def _begin(self) -> bool:
        """Begin a dispute. Return False if it has already begun."""
        now = self._game.server, self._game.state.moves
        is_new = self._disputed != now
        self._disputed = now
        return is_new

    async def dispute(self, fault: ReplayFault) -> None:
        """Ask to have an illegal move on the server taken back, or else accept the move or end the game."""
        if not self._begin():
            return
        game = self._game
        game.cancel()
        why = game.chat.why(fault)
        game.log(f"dispute: step {fault.index + 1}, {fault.step.word}: {why}")
        config, abilities = game.config.policies, game.server.abilities
        is_theirs = fault.step.colour != game.state.colour and fault.index == len(game.steps()) - 1
        game.keep(replace(game.stored, warnings=game.stored.warnings + 1))
        if not is_theirs or abilities.undo == core.NEVER or game.stored.warnings > config.warnings:
            await self._end(fault, why)
            return
        key = "bridge.wrong" if abilities.undo == core.AT_ONCE else "bridge.wrong_ask"
        await game.chat.say(key, why=why, open=game.chat.open_points())
        ask = partial(self._undo.ask, partial(self._end, fault, why))
        if abilities.undo == core.AT_ONCE:
            await ask()
        else:
            self._undo.start_later(self._undo.wait_s, ask)

    async def _end(self, fault: ReplayFault, why: str) -> None:
        """Accept the stone that stays on the server, or end the game because of it."""
        game, policy = self._game, self._game.config.policies.illegal
        is_last = fault.index == len(game.steps()) - 1
        is_off_line = isinstance(fault.error, IllegalMove) and fault.error.reason == "line"
        if policy == LET_STAND and is_off_line and is_last:
            number = len(game.state.moves) - 1
            game.stored = replace(game.stored, let_stand=(*game.stored.let_stand, number))
            if game.replay.follow(game.steps()) is None:
                await game.chat.say("bridge.wrong_stays", why=why)
                await game.update(game.state)
                return
        await game.chat.say("bridge.wrong_end", why=why)
        await game.leave(policy == STOP)


# SGF's code for an unknown result.
UNKNOWN = "?"
# Maximum number of times that play is resumed because living stones were marked dead.
_PLAYED_OUT_AT_MOST = 2


class DoublePass:
    """Two passes in a row: they end the game, are taken back, or stay between the players."""

    def __init__(self, game: "GoGame", undo: AskedUndo) -> None:
        self._game, self._undo = game, undo
        # The moves whose last two passes are final, because the opponent did not allow an undo.
        self._ended_at: object = None

    @property
    def has_ended(self) -> bool:
        """True if the last two passes are final."""
        return self._ended_at == self._game.state.moves

    def reset(self) -> None:
        """Note that the moves have changed."""
        self._ended_at = None

    async def take_in(self) -> None:
        """Handle two passes on the server: score the game or continue it."""
        game = self._game
        positions = positions_of_passes(game.replay.table.game)
        kind = policies.END
        may_go_back = not game.stored.accepts and not self.has_ended
        if positions is not None and game.state.moves[-1][0] != game.state.colour and may_go_back:
            ours, theirs = positions
            # Unless we were forced to pass, the opponent's pass ends the game.
            if policies.is_forced_to_pass(game.rules, ours):
                double_pass = game.config.policies.double_pass
                kind = policies.second_pass_of_two(double_pass, game.rules, theirs)
        if kind == policies.END or not game.server.abilities.resumes:
            await game.dead_stones.agree()
        else:
            await self._go_back(kind)

    async def _go_back(self, kind: str) -> None:
        """Have the opponent's second pass taken back; if no point was open to them, keep the passes as private steps.

        On a server that keeps passes in its list of moves, play continues after them with our turn.
        """
        game = self._game
        if game.server.abilities.passes_stay:
            await game.chat.say("bridge.resumes")
            await self.take_back()
        elif kind == policies.AGAIN:
            me = game.state.colour
            mine, theirs, resumed = Step(me, "pass"), Step(3 - me, "pass"), Step(me, RESUMED)
            await game.chat.say("bridge.again_you")
            # The opponent's undo may also take back our pass, so there are steps for one and for two removed moves.
            await self.take_back({1: (theirs, resumed, mine), 2: (mine, theirs, resumed)})
        else:
            positions = positions_of_passes(game.replay.table.game)
            assert positions is not None
            await game.chat.say("bridge.second_plays", open=game.chat.open_points(positions[1]))
            await self.take_back()

    async def pass_second(self) -> bool:
        """Return False if our second pass ends the game. Otherwise keep the pass private and return True."""
        game = self._game
        double_pass = game.config.policies.double_pass
        kind = policies.END if game.stored.accepts else policies.own_second_pass(double_pass, game.replay.table)
        if kind == policies.END or not game.server.abilities.chat:
            return False
        me, other = game.state.colour, 3 - game.state.colour
        count = len(game.state.moves)
        mine, theirs, resumed = Step(me, "pass"), Step(other, "pass"), Step(other, RESUMED)
        if kind == policies.AGAIN or game.server.abilities.undo != core.AT_ONCE:
            game.keep(game.stored.with_private_steps(count, [mine, resumed, theirs]))
            await game.chat.say("bridge.again_me")
            await game.update(game.state)
            return True
        game.keep(game.stored.cut_to(count - 1).with_private_steps(count - 1, [theirs, mine, resumed]))
        await game.chat.say("bridge.hand_back")
        await self.take_back()
        return True

    async def take_back(self, steps_instead: dict[int, tuple[Step, ...]] | None = None) -> None:
        """Ask for the last move to be taken back. The game waits until that is done or refused."""
        game = self._game
        self._undo.stand_still(steps_instead)
        if game.server.abilities.undo == core.ASKED and not game.server.abilities.passes_stay:
            await game.chat.say("bridge.please_undo")
        await self._undo.ask(self._let_stand)

    async def _let_stand(self) -> None:
        """End the game as it stands, because the opponent does not allow the undo."""
        self._undo.end(0)
        self._ended_at = self._game.state.moves
        if self._game.state.phase == core.SCORING:
            await self._game.dead_stones.agree()


class DeadStones:
    """The agreement on dead stones. We mark the stones that the engine calls dead once, and accept other marks.

    If living stones of ours are marked, play is resumed, up to twice. Only Go needs marks; elsewhere all stones count.
    """

    def __init__(self, game: "GoGame", passes: DoublePass) -> None:
        self._game, self._passes = game, passes
        self._is_marked = False
        # Number of times the game was resumed because living stones were marked dead.
        self._played_out = 0

    def reset(self) -> None:
        """Note that play continues, so that stones must be marked again."""
        self._is_marked = False

    async def agree(self) -> None:
        """Mark dead stones and agree to all marks, or defend living stones of ours. Raises PeerGone if disconnected."""
        game = self._game
        if not game.server.abilities.marks:
            return
        dead = await self._find_dead()
        table, state = game.replay.table, game.state
        board, stones = table.rules.board, table.position.stones
        # A chain may be marked by any of its stones, so all stones of dead chains are compared.
        chains = [chain(board, stones, point) for point in map(board.point, dead) if stones[point]]
        dead_stones = {board.vertex(point) for points in chains for point in points}
        own = {board.vertex(point) for point, stone in enumerate(stones) if stone == state.colour}
        alive = [vertex for vertex in state.removed if vertex in own - dead_stones]
        may_go_back = self._played_out < _PLAYED_OUT_AT_MOST and not self._passes.has_ended
        if alive and may_go_back:
            self._played_out += 1
            await self._go_back_to_life(alive[0])
            return
        if not self._is_marked:
            self._is_marked = True
            for vertex in one_of_each_chain(table, dead):
                await game.server.mark_dead(state, vertex)
        await game.server.agree(state)

    async def _find_dead(self) -> tuple[str, ...]:
        """Return a vertex of each chain that the engine calls dead, or () if it is not asked or does not say."""
        game, rules = self._game, self._game.rules
        counts_dead = not rules.profile.is_go and not rules.agrees_on_dead and not rules.judges_dead
        if game.config.policies.dead and not counts_dead:
            try:
                return await game.turn.player.dead(game.steps())
            except PeerError as error:
                game.log(f"the engine cannot say which stones are dead: {error}")
        return ()

    async def _go_back_to_life(self, vertex: str) -> None:
        """Resume play, or at least clear the marks, because a living stone of ours was marked dead."""
        game = self._game
        if game.server.abilities.resumes:
            await game.chat.say("bridge.alive", vertex=vertex)
            await self._passes.take_back()
        else:
            self._is_marked = False
            await game.chat.say("bridge.alive_marks", vertex=vertex)
            await game.server.undo(game.state)


def positions_of_passes(game: Game) -> tuple[Position, Position] | None:
    """Return the positions in which the last two passes were made, or None if the last two moves were not passes."""
    made = zip(game.positions, game.events, strict=False)
    passes = [before for before, event in made if event.action == PASS and event.actor != CHANCE]
    has_two = len(passes) >= 2 and game.position.passes >= 2
    return (passes[-2], passes[-1]) if has_two else None


def one_of_each_chain(table: Table, vertices: Sequence[str]) -> list[str]:
    """Return the first of the given vertices on each chain."""
    board = table.rules.board
    points = {board.point(vertex): vertex for vertex in reversed(vertices)}
    named = ([points[p] for p in points if p in members] for members in chains(board, table.position.stones))
    return [found[-1] for found in named if found]


def settle(table: Table, result: str, removed: Sequence[str]) -> None:
    """End our game as the server did, by its SGF `result` and dead stones (`removed`), as far as our rules allow it.

    In Go the players agreed on these stones, although our player was told to capture what is dead.
    """
    if table.is_final or not result:
        return
    how = {"R": RESIGN, "T": FLAG, "F": FORFEIT}.get(result[2:])
    winner = {"B": 1, "W": 2}.get(result[:1])
    if how is not None and winner is not None:
        table.play(3 - winner, how)
    elif table.suspended:
        if removed and table.rules.profile.is_go:
            cls, given = split_spec(table.rules.spec)
            table.change_rules(cls({**given, **AMONG_PEOPLE}))
        if table.rules.agrees_on_dead:
            for action in change_dead(table, set(map(table.rules.board.point, removed))):
                table.play(table.position.mover, action)
        table.play(table.position.mover, SETTLE)


def stated_result(game: Game, result: str) -> str:
    """Return the result to record: our result if the game is over by our rules, else the server's, or UNKNOWN."""
    outcome = game.outcome
    return outcome.sgf if outcome is not None else result or UNKNOWN


class FirstDraw:
    """The throw of the first turn, kept hidden as long as the players may agree on other dice."""

    def __init__(self, game: "GoGame") -> None:
        self._game = game
        # The end of the wait in loop time, or None before the game has begun.
        self._waits_until_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def waits(self) -> bool:
        """Return True if the players still have time to agree. Afterwards the throw is shown."""
        if not self._game.may_negotiate:
            return False
        loop, first_s = asyncio.get_running_loop(), self._game.config.time.first_s
        if self._waits_until_s is None:
            self._waits_until_s = loop.time() + first_s
            if first_s > 0:
                self._timer = loop.call_at(self._waits_until_s, lambda: self._game.turn.start(self.show))
        return loop.time() < self._waits_until_s

    async def show(self) -> None:
        """Begin the first turn, after which no other dice can be agreed on. Raises PeerGone if disconnected."""
        if self._game.may_negotiate and self._game.state.phase == core.PLAYING:
            self._waits_until_s = asyncio.get_running_loop().time()
            self.stop_timer()
            await self._game.go_on()

    def note_shown(self) -> None:
        """Store that the throw has been shown. This is called before anybody sees the throw."""
        if self._game.may_negotiate:
            self._game.keep(replace(self._game.stored, has_shown_draw=True))

    def stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


# The parts of a server's game that decide how its moves are replayed.
_TERMS = attrgetter("komi", "handicap", "size", "height", "placed", "placed_white", "first")


def _replay_of(
    stored: StoredGame, state: core.ServerGame, server: core.Server
) -> tuple[Rules, Callable[[], ReplayedGame]]:
    """Return a game's rules, and a function that makes an empty replay of it. Raises VariantsError for faulty rules."""
    rules = game_sync.rules_of(stored.spec, state)
    make = partial(ReplayedGame, rules, stored.secret, game_sync.setup_of(rules, state), first=state.first)
    kept = {"single_die_from": stored.single_die_from, "terms": stored.terms}
    return rules, partial(make, passes_stay=server.abilities.passes_stay, **kept)


class GoGame(FollowedGame):
    """A game on a Go server, followed by our rules. Only `update` changes its moves."""

    def __init__(self, context: GameContext, state: core.ServerGame, stored: StoredGame, is_new: bool) -> None:
        """Raises VariantsError if our rules cannot follow the game."""
        rules, make_replay = _replay_of(stored, state, context.account.server)
        self.replay = make_replay()
        super().__init__(context, state, stored, rules, make_replay)
        self.is_new = is_new
        self.chat: GameChat[Any] = GameChat(self)
        self.first_draw = FirstDraw(self)
        self.undo = AskedUndo(self)
        self.wrong_stones = WrongStones(self, self.undo)
        self.passes = DoublePass(self, self.undo)
        self.dead_stones = DeadStones(self, self.passes)
        # Moves that the server refused, by the state of the game.
        self._refused: dict[DecisionKey, list[int]] = {}

    async def update(self, state: core.ServerGame) -> None:
        if not state.is_whole:
            state = replace(self.state, phase=state.phase, result=state.result, awaits_move=False)
        old = self.state
        self._take_in(state, f"{len(state.moves)} moves")
        # On a server that keeps passes, only the phase shows that play continues.
        goes_on = self.server.abilities.passes_stay and (old.phase, state.phase) == (core.SCORING, core.PLAYING)
        if self.undo.holds_up(state) and not goes_on:
            return
        steps_instead = self.undo.end(len(old.moves) - len(state.moves))
        if state.moves != old.moves or goes_on:
            # A repeated position is answered again, and repeated passes are handled again.
            self.turn.forget_answer()
            self.passes.reset()
        if _TERMS(state) != _TERMS(old):
            self.start_over()
        count = self.stored.count
        if state.moves[:count] != old.moves[:count] or len(state.moves) < count:
            self._shorten(old)
        if steps_instead:
            self.stored = self.stored.with_private_steps(len(state.moves), steps_instead)
        fault = self.replay.follow(self.steps())
        if state.moves:
            self.stored = replace(self.stored, has_shown_draw=True)
        if fault is None:
            furthest = max(self.stored.furthest, int(self.replay.table.position.turn))
            self.stored = replace(self.stored, count=len(state.moves), furthest=furthest)
            if self.wrong_stones.is_disputed:
                self.chat.reset_announcement()
            self.wrong_stones.settle()
        self.save()
        if state.phase in (core.OVER, core.ADJOURNED):
            await self._end()
        elif fault is not None:
            await self.wrong_stones.dispute(fault)
        else:
            await self.go_on()

    async def handle(self, event: core.GameEvent) -> None:
        """Handle an event of this game other than its state."""
        match event:
            case core.KomiOffer():
                # Before the first move we accept another komi that is within our limits.
                low, high = self.config.challenges.komi
                if not self.state.moves and low <= event.komi <= high:
                    await self.server.accept_komi(event)
                else:
                    await self.server.decline(event.user)
                    await self.chat.say("bridge.komi", least=f"{low:g}", most=f"{high:g}")
            case core.UndoRequest():
                await self.answer_undo_request()
            case core.UndoRefused():
                self.undo.refuse()
            case core.MoveRefused():
                await self._replace_refused_move(event)
            case core.DoneRefused() if self.state.phase == core.SCORING:
                await self.dead_stones.agree()

    def steps(self) -> list[Step]:
        """Return the steps of the game, including private steps."""
        moves = self.state.moves
        found = game_sync.steps_of(moves, self.stored.private_steps, self.stored.let_stand)
        is_resumed = self.state.phase == core.PLAYING and [word for _, word in moves[-2:]] == ["pass", "pass"]
        if self.server.abilities.passes_stay and is_resumed and found[-1].word != RESUMED:
            found.append(Step(3 - moves[-1][0], RESUMED))
        return found

    def start_over(self, *, keeps_player: bool = False) -> None:
        self.rules, make_replay = _replay_of(self.stored, self.state, self.server)
        if not keeps_player:
            self.turn.change_game(make_replay)
        self.replay = make_replay()

    def _shorten(self, old: core.ServerGame) -> None:
        pairs = enumerate(zip(old.moves, self.state.moves, strict=False))
        same = next((number for number, (mine, theirs) in pairs if mine != theirs), len(self.state.moves))
        self.stored = self.stored.cut_to(min(same, len(old.moves), self.stored.count))
        self.chat.reset_announcement()

    async def go_on(self) -> None:
        if self.state.phase == core.SCORING:
            await self.passes.take_in()
            return
        self.dead_stones.reset()
        if self.rules.is_final(self.replay.table.position):
            return
        if self.first_draw.waits():
            await self.chat.say_greeting()
            return
        self.first_draw.note_shown()
        await self.chat.announce()
        if self._diverges():
            await self._handle_divergence(self.state.moves[-1][1])
        elif self.state.awaits_move:
            self.turn.start_thinking()

    async def show_first_draw(self) -> None:
        await self.first_draw.show()

    def _diverges(self) -> bool:
        """Return True if the last move led to a different board here than on the server, which plays ordinary Go."""
        is_ours = self.server.abilities.edits
        if is_ours or self.rules.profile.captures_as_go or not self.state.moves or self.turn.has_answer:
            return False
        there = ReplayedGame(game_sync.go_rules(self.state.size), b"", {})
        fault = there.follow(self.steps())
        has_diverged = fault is not None or there.table.position.stones != self.replay.table.position.stones
        if has_diverged:
            self.turn.note_answer()
        return has_diverged

    async def _handle_divergence(self, vertex: str) -> None:
        await self.chat.say("bridge.divergence", vertex=vertex)
        await self.leave(self.config.policies.on_divergence == STOP)

    async def leave(self, quietly: bool) -> None:
        if quietly and self.server.abilities.challenges:
            await self.server.adjourn(self.state)
        else:
            await self.server.resign(self.state)

    def decision_key(self) -> DecisionKey:
        state, stored = self.state, self.stored
        steps = tuple(each for each in stored.private_steps if each.count == len(state.moves))
        return state.moves, steps, stored.let_stand, state.komi, state.handicap, stored.spec

    def awaits_answer(self) -> bool:
        return super().awaits_answer() and self.state.phase == core.PLAYING and not self.wrong_stones.is_disputed

    def least_time_s(self, time: TimeConfig) -> float:
        # In games with dice, the wait before the first throw was shown has been long enough.
        is_late = self.state.moves or self.has_dice
        return time.at_least_s if is_late else max(time.first_s, time.at_least_s)

    async def give_up(self) -> None:
        await self.chat.say("bridge.engine")
        await super().give_up()

    async def tell_of_fallback(self) -> None:
        await self.chat.say("bridge.engine_replaced")

    def may(self, action: int) -> bool:
        return action not in self._refused_now and super().may(action)

    def fallback(self) -> int:
        return policies.fallback(self.rules, self.replay.table.position, self._refused_now)

    @property
    def _refused_now(self) -> Sequence[int]:
        return self._refused.get(self.decision_key(), ())

    async def play(self, action: int, move: EngineMove) -> None:
        position, moves = self.replay.table.position, self.state.moves
        if move.proposal:
            await self.chat.negotiation.offer(move.proposal)
        if not self.server.abilities.edits and policies.diverges(self.rules, position, action):
            self.turn.note_answer()
            await self._handle_divergence(self.vertex(action))
            return
        is_second_pass = action == PASS and moves and moves[-1][1] == "pass"
        if not is_second_pass or not await self.passes.pass_second():
            await super().play(action, move)

    async def _replace_refused_move(self, refusal: core.MoveRefused) -> None:
        """Send another move, because the server refused ours."""
        move = self.turn.decided
        if move is None or not self.turn.has_answer:
            return
        self.log(f"the server refused a move: {refusal.why}")
        if not self.rules.profile.captures_as_go:
            await self._handle_divergence(self.vertex(move.action))
            return
        refused = self._refused.setdefault(self.decision_key(), [])
        refused.append(move.action if move.action not in refused else self.fallback())
        self.turn.forget_answer()
        self.turn.start_thinking()

    def _close_replay(self) -> None:
        settle(self.replay.table, self.state.result, self.state.removed)
        try:
            self.context.store.note_match(self.state.players, self.stored, self.replay.table.game)
        except OSError as error:
            self.log(f"cannot store the match: {error}")

    def tell_match(self) -> tuple[str, int]:
        """Return what this finished game means for its match, in the form of `tell_match` of `agreements.py`."""
        game = self.replay.table.game
        notes: Json = {}
        if self.stored.after:
            with suppress(OSError, RecordError):
                first = load_record(self.record_path.with_name(f"{self.stored.after}.sgf"))
                _, notes = follow_in_match(first.game)
        return tell_match(game, notes) if game.outcome is not None else ("", EMPTY)

    async def _take_leave(self) -> None:
        await super()._take_leave()
        try:
            await self.chat.say_farewell()
        except PeerGone as error:
            # Nothing is lost: the game is over, and its record reveals the secret.
            self.log(f"cannot say farewell: {error}")

    def cancel(self) -> None:
        self.undo.stop_timer()
        self.first_draw.stop_timer()
        super().cancel()

    def record(self) -> Record | None:
        """Return the record, without the secret until the game ends, or None while the first throw is hidden."""
        if self.may_negotiate and not self.is_over:
            return None
        game, has_dice = self.replay.table.game, self.has_dice
        return Record(
            game,
            dice="secret" if has_dice else None,
            commitment=DiceStream(self.stored.secret).commitment if has_dice else None,
            secret=self.stored.secret if has_dice and self.is_over else None,
            told=frozenset(turn for turn, _ in self.replay.table.draws.told),
            players=dict(self.state.players),
            result=stated_result(game, self.state.result) if self.is_over else None,
            comment=f"on the server: {self.state.result}" if self.state.result else "",
        )

    async def answer_undo_request(self) -> None:
        """Answer the opponent's request to take a move back."""
        limit = self.config.policies.undo
        is_wanted = self.wrong_stones.is_disputed or self.undo.is_standing_still
        is_allowed = self.stored.takebacks < limit or is_wanted
        if is_allowed and not is_wanted:
            self.keep(replace(self.stored, takebacks=self.stored.takebacks + 1))
        if self.server.abilities.undo == core.ASKED:
            await self.server.answer_undo(self.state, is_allowed)
        if not is_allowed:
            await self.chat.say("bridge.no_undo", count=limit)
