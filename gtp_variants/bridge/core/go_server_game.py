"""A game of any of our rules on a server that knows only Go: it follows the moves there and settles the rest in
chat.

Every state of the game that the server tells makes the table what it should be.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gtp_variants.bridge.core import ending, policies
from gtp_variants.bridge.core.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.chat import GameChat
from gtp_variants.bridge.core.config import LET_STAND, STOP, TimeConfig
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.game_sync import (
    RESUMED,
    ReplayedGame,
    ReplayFault,
    Step,
    go_rules,
    rules_of,
    setup_of,
    steps_of,
)
from gtp_variants.bridge.core.server import (
    ADJOURNED,
    ASKED,
    AT_ONCE,
    NEVER,
    OVER,
    PLAYING,
    SCORING,
    DoneRefused,
    GameEvent,
    KomiOffer,
    MoveRefused,
    ServerGame,
    UndoRefused,
    UndoRequest,
)
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import PeerError, PeerGone
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.dice.stream import DiceStream

# How often a game that has a server's scoring is gone back to because of stones that are not dead.
_PLAYED_OUT_AT_MOST = 2


class GoGame(BaseGame):
    """One game that our rules follow on their own; nothing but `update` changes what is played."""

    def __init__(self, context: GameContext, state: ServerGame, stored: StoredGame, is_new: bool) -> None:
        """A game at its beginning or as it was stored. Raises VariantsError for one that our rules cannot follow."""
        rules = rules_of(stored.spec, state)
        stay = context.server().abilities.passes_stay
        make_replay = partial(ReplayedGame, rules, stored.secret, setup_of(rules, state), passes_stay=stay)
        self.replay = make_replay()
        super().__init__(context, state, stored, rules, make_replay)
        self.is_new = is_new
        self.chat: GameChat[Any] = GameChat(self)
        self._timer: asyncio.TimerHandle | None = None
        self._disputed: tuple[object, object] | None = None
        # The moves of which we asked the last to be taken back, and on which connection; and what happens between us
        # instead, by the number of moves that have gone.
        self._awaiting_undo: tuple[object, object] | None = None
        self._steps_instead: dict[int, tuple[Step, ...]] = {}
        # The moves whose last two passes stand because the opponent did not let them go.
        self._ended_at: object = None
        # What is done if the opponent does not let a move go that we asked for.
        self._if_not_undone: Callable[[], Awaitable[None]] | None = None
        self._refused: dict[DecisionKey, list[int]] = {}
        self._played_out = 0
        self._is_marked = False
        # Until when the first draw is shown to nobody, None before the game was gone into.
        self._draw_waits_until_s: float | None = None
        self._draw_timer: asyncio.TimerHandle | None = None

    # -- what the server says ------------------------------------------------------------------------------------------

    async def update(self, state: ServerGame) -> None:
        if not state.is_whole:
            state = replace(self.state, phase=state.phase, result=state.result, awaits_move=False)
        old = self.state
        self._take_in(state, f"{len(state.moves)} moves")
        # Where passes stay the phase alone says that play goes on.
        goes_on = self.server.abilities.passes_stay and (old.phase, state.phase) == (SCORING, PLAYING)
        if self._awaiting_undo == (self.server, state.moves) and state.phase in (PLAYING, SCORING) and not goes_on:
            return
        steps_instead = self._steps_instead.get(len(old.moves) - len(state.moves), ())
        self._awaiting_undo, self._steps_instead = None, {}
        if state.moves != old.moves or goes_on:
            # A position that comes back is answered again, and passes that went after all may come again.
            self._acted = self._ended_at = None
        if (state.komi, state.handicap, state.size, state.placed) != (old.komi, old.handicap, old.size, old.placed):
            await self._start_over()
        count = self.stored.count
        if state.moves[:count] != old.moves[:count] or len(state.moves) < count:
            self._shorten(old)
        if steps_instead:
            self.stored = self.stored.with_private_steps(len(state.moves), steps_instead)
        fault = self.replay.follow(self.steps())
        if state.moves:
            self.stored = replace(self.stored, has_shown_draw=True)
        if fault is None:
            self.stored = replace(self.stored, count=len(state.moves))
            if self._disputed is not None:
                self.chat.reset_announcement()
            self._disputed = None
            self._stop_timer()
        self._save()
        if state.phase in (OVER, ADJOURNED):
            await self._end()
        elif fault is not None:
            await self._dispute(fault)
        else:
            await self._go_on()

    async def handle(self, event: GameEvent) -> None:
        """Act on what the server tells of this game beside its state."""
        match event:
            case KomiOffer():
                await self._answer_komi_offer(event)
            case UndoRequest():
                await self.answer_undo_request()
            case UndoRefused():
                self._start_if_not_undone()
            case MoveRefused():
                await self._replace_refused_move(event)
            case DoneRefused() if self.state.phase == SCORING:
                await self._score()

    def steps(self) -> list[Step]:
        """What happened, with what the server did not hear."""
        moves = self.state.moves
        found = steps_of(moves, self.stored.private_steps, self.stored.let_stand)
        is_resumed = self.state.phase == PLAYING and [word for _, word in moves[-2:]] == ["pass", "pass"]
        if self.server.abilities.passes_stay and is_resumed and found[-1].word != RESUMED:
            found.append(Step(3 - moves[-1][0], RESUMED))
        return found

    @property
    def lang(self) -> str:
        """The language this opponent is spoken to in."""
        return self.stored.lang

    async def _start_over(self) -> None:
        """Komi or handicap became another: the same game under other rules."""
        rules = rules_of(self.stored.spec, self.state)
        stay, setup = self.server.abilities.passes_stay, setup_of(rules, self.state)
        make_replay = partial(ReplayedGame, rules, self.stored.secret, setup, passes_stay=stay)
        await self._change_rules(rules, make_replay)
        self.replay = make_replay()

    def _shorten(self, old: ServerGame) -> None:
        pairs = enumerate(zip(old.moves, self.state.moves, strict=False))
        same = next((number for number, (mine, theirs) in pairs if mine != theirs), len(self.state.moves))
        self.stored = self.stored.cut_to(min(same, len(old.moves), self.stored.count))
        self.chat.reset_announcement()

    async def _go_on(self) -> None:
        if self.state.phase == SCORING:
            await self._after_passes()
            return
        self._is_marked = False
        if self.rules.is_final(self.replay.table.position):
            return
        if self.may_negotiate and self._first_draw_waits():
            await self.chat.say_greeting()
            return
        self._note_first_draw()
        await self.chat.announce()
        if self._diverges():
            await self._handle_divergence(self.state.moves[-1][1])
        elif self.state.awaits_move:
            self._start_thinking()

    def _first_draw_waits(self) -> bool:
        """Whether the players still have time to agree on other dice; when it is over the first draw is shown."""
        loop, first_s = asyncio.get_running_loop(), self.context.config().time.first_s
        if self._draw_waits_until_s is None:
            self._draw_waits_until_s = loop.time() + first_s
            if first_s > 0:
                self._draw_timer = loop.call_at(self._draw_waits_until_s, lambda: self._start(self.show_first_draw))
        return loop.time() < self._draw_waits_until_s

    async def show_first_draw(self) -> None:
        """Let the first turn begin: nothing about the dice can be agreed on any more."""
        if self.may_negotiate and self.state.phase == PLAYING:
            self._draw_waits_until_s = asyncio.get_running_loop().time()
            if self._draw_timer is not None:
                self._draw_timer.cancel()
            await self._go_on()

    def _note_first_draw(self) -> None:
        """Write down that the first draw is shown, before anybody sees it."""
        if self.may_negotiate:
            self.stored = replace(self.stored, has_shown_draw=True)
            self._save()

    def _diverges(self) -> bool:
        """Whether the last move made another board here than on the server, which plays Go."""
        is_ours = self.server.abilities.edits
        if is_ours or self.rules.captures_as_go or not self.state.moves or self._has_answer():
            return False
        there = ReplayedGame(go_rules(self.state.size), b"", {})
        fault = there.follow(self.steps())
        has_diverged = fault is not None or there.table.position.stones != self.replay.table.position.stones
        if has_diverged:
            self._acted = self._told_by, self._decision_key()
        return has_diverged

    # -- wrong stones --------------------------------------------------------------------------------------------------

    async def _dispute(self, fault: ReplayFault) -> None:
        """A move of the server's does not replay: that is a state to settle, and until then nothing is played."""
        if self._disputed == (self.server, self.state.moves):
            return
        self._cancel()
        self._disputed = self.server, self.state.moves
        why = self.chat.why(fault)
        self.log(f"dispute: step {fault.index + 1}, {fault.step.word}: {why}")
        config, abilities = self.context.config().policies, self.server.abilities
        is_theirs = fault.step.colour != self.state.colour and fault.index == len(self.steps()) - 1
        self.stored = replace(self.stored, warnings=self.stored.warnings + 1)
        self._save()
        if not is_theirs or abilities.undo == NEVER or self.stored.warnings > config.warnings:
            await self._cannot_undo(fault, why)
            return
        key = "bridge.wrong" if abilities.undo == AT_ONCE else "bridge.wrong_ask"
        await self.chat.say(key, why=why, open=self.chat.open_points())
        if abilities.undo == AT_ONCE:
            await self._ask_undo(fault, why)
        else:
            self._after(self._undo_wait_s(), lambda: self._ask_undo(fault, why))

    async def _ask_undo(self, fault: ReplayFault, why: str) -> None:
        await self._undo_or(lambda: self._cannot_undo(fault, why))

    async def _undo_or(self, if_not_undone: Callable[[], Awaitable[None]]) -> None:
        """Ask for the last move to go, and do something if it is refused, or still there after a while."""
        self._if_not_undone = if_not_undone
        self._after(self._undo_wait_s(), if_not_undone)
        await self.server.undo(self.state)

    def _start_if_not_undone(self) -> None:
        """A move that we asked for is not taken back."""
        work, self._if_not_undone = self._if_not_undone, None
        if work is not None and self._timer is not None:
            self._stop_timer()
            self._start(work)

    async def _cannot_undo(self, fault: ReplayFault, why: str) -> None:
        """The stone stays on the server: it is let stand, or the game ends."""
        policy = self.context.config().policies.illegal
        number = len(self.state.moves) - 1
        is_last = fault.index == len(self.steps()) - 1
        if policy == LET_STAND and fault.reason == "line" and is_last:
            self.stored = replace(self.stored, let_stand=(*self.stored.let_stand, number))
            if self.replay.follow(self.steps()) is None:
                await self.chat.say("bridge.wrong_stays", why=why)
                await self.update(self.state)
                return
        await self.chat.say("bridge.wrong_end", why=why)
        await self._leave(policy == STOP)

    def _after(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do something later, unless the dispute is settled before."""
        self._stop_timer()
        moves = self.state.moves

        def start() -> None:
            if self.state.moves == moves and not self.is_over:
                self._start(work)

        self._timer = asyncio.get_running_loop().call_later(seconds, start)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- our moves -----------------------------------------------------------------------------------------------------

    def _decision_key(self) -> DecisionKey:
        state, stored = self.state, self.stored
        steps = tuple(each for each in stored.private_steps if each.count == len(state.moves))
        return state.moves, steps, stored.let_stand, state.komi, state.handicap, stored.spec

    def _awaits_answer(self) -> bool:
        return super()._awaits_answer() and self.state.phase == PLAYING and self._disputed is None

    def _least_time_s(self, time: TimeConfig) -> float:
        # Under dice the first draw has waited for what people agree on.
        is_late = self.state.moves or self.chat.has_dice
        return time.at_least_s if is_late else max(time.first_s, time.at_least_s)

    async def _give_up(self) -> None:
        await self.chat.say("bridge.engine")
        await super()._give_up()

    async def _tell_of_fallback(self) -> None:
        await self.chat.say("bridge.engine_replaced")

    def _may(self, action: int) -> bool:
        return action not in self._refused_now() and super()._may(action)

    def _fallback(self) -> int:
        return policies.fallback(self.rules, self.replay.table.position, self._refused_now())

    def _refused_now(self) -> Sequence[int]:
        """What the server did not take in this state."""
        return self._refused.get(self._decision_key(), ())

    async def _play(self, action: int, move: EngineMove) -> None:
        table = self.replay.table
        if not self.server.abilities.edits and policies.diverges(self.rules, table.position, action):
            self._acted = self._told_by, self._decision_key()
            await self._handle_divergence(self._vertex(action))
            return
        if action == PASS and self.state.moves and self.state.moves[-1][1] == "pass":
            double_pass = self.context.config().policies.double_pass
            kind = policies.END if self.stored.accepts else policies.own_second_pass(double_pass, table)
            if kind != policies.END and self.server.abilities.chat:
                await self._pass_privately(kind)
                return
        await super()._play(action, move)

    async def _pass_privately(self, kind: str) -> None:
        """We have no point and the opponent passed: what happens then stays between us."""
        me, other = self.state.colour, 3 - self.state.colour
        count = len(self.state.moves)
        mine, theirs, resumed = Step(me, "pass"), Step(other, "pass"), Step(other, RESUMED)
        if kind == policies.AGAIN or self.server.abilities.undo != AT_ONCE:
            self.stored = self.stored.with_private_steps(count, [mine, resumed, theirs])
            self._save()
            await self.chat.say("bridge.again_me")
            await self.update(self.state)
            return
        self.stored = self.stored.cut_to(count - 1).with_private_steps(count - 1, [theirs, mine, resumed])
        self._save()
        await self.chat.say("bridge.hand_back")
        await self._undo()

    async def _replace_refused_move(self, refusal: MoveRefused) -> None:
        """The server did not take our move: it will not be sent again."""
        key = self._decision_key()
        if self._decided is None or self._decided[0] != key or not self._has_answer():
            return
        action = self._decided[1].action
        self.log(f"the server refused a move: {refusal.why}")
        if not self.rules.captures_as_go:
            await self._handle_divergence(self._vertex(action))
            return
        refused = self._refused.setdefault(key, [])
        refused.append(action if action not in refused else self._fallback())
        self._acted = None
        self._start_thinking()

    # -- the end -------------------------------------------------------------------------------------------------------

    async def _after_passes(self) -> None:
        """Both passed. Either that is the end, or the game goes on."""
        positions = ending.positions_of_passes(self.replay.table.game)
        moves = self.state.moves
        kind = policies.END
        may_go_back = not self.stored.accepts and self._ended_at != moves
        if positions is not None and moves[-1][0] != self.state.colour and may_go_back:
            kind = policies.their_second_pass(self.context.config().policies.double_pass, self.rules, *positions)
        if kind == policies.END or not self.server.abilities.resumes:
            await self._score()
        else:
            await self._go_back(kind)

    async def _go_back(self, kind: str) -> None:
        """The opponent's second pass is taken back on the server; where they have no point it stands between us.

        Where passes stay, play goes on after them, and it is our turn.
        """
        if self.server.abilities.passes_stay:
            await self.chat.say("bridge.resumes")
            await self._undo()
        elif kind == policies.AGAIN:
            me = self.state.colour
            mine, theirs, resumed = Step(me, "pass"), Step(3 - me, "pass"), Step(me, RESUMED)
            await self.chat.say("bridge.again_you")
            # Where the opponent lets it go, ours may go with it.
            await self._undo({1: (theirs, resumed, mine), 2: (mine, theirs, resumed)})
        else:
            positions = ending.positions_of_passes(self.replay.table.game)
            assert positions is not None
            await self.chat.say("bridge.second_plays", open=self.chat.open_points(positions[1]))
            await self._undo()

    async def _undo(self, steps_instead: dict[int, tuple[Step, ...]] | None = None) -> None:
        """Ask for the last move to go; until it has gone, or is not let go, the game stands still."""
        self._awaiting_undo, self._steps_instead = (self.server, self.state.moves), steps_instead or {}
        if self.server.abilities.undo == ASKED and not self.server.abilities.passes_stay:
            await self.chat.say("bridge.please_undo")
        await self._undo_or(self._let_passes_stand)

    async def _let_passes_stand(self) -> None:
        """The opponent does not let the last move go: the game ends as it stands."""
        self._awaiting_undo, self._steps_instead, self._ended_at = None, {}, self.state.moves
        if self.state.phase == SCORING:
            await self._score()

    def _undo_wait_s(self) -> float:
        clock = self.state.clocks.get(self.state.colour, NO_LIMIT)
        return policies.undo_wait_s(self.context.config().policies, clock)

    async def _score(self) -> None:
        """Mark what the engine calls dead, once, and agree to what is marked.

        Where our rules count what stands, as in all games but Go, nothing is marked.
        """
        if not self.server.abilities.marks:
            return
        dead: tuple[str, ...] = ()
        counts_dead = not self.rules.is_go and not self.rules.agrees_on_dead and not self.rules.judges_dead
        if self.context.config().policies.dead and not counts_dead:
            try:
                dead = await self.player.dead(self.steps())
            except PeerError as error:
                self.log(f"the engine does not say what is dead: {error}")
        table, state = self.replay.table, self.state
        # A chain is marked by any of its stones.
        dead_stones = ending.stones_of_chains(table, dead)
        alive = [each for each in ending.stones_of(table, state.colour, state.removed) if each not in dead_stones]
        may_go_back = self._played_out < _PLAYED_OUT_AT_MOST and self._ended_at != state.moves
        if alive and may_go_back:
            self._played_out += 1
            await self._go_back_to_life(alive[0])
            return
        if not self._is_marked:
            self._is_marked = True
            for vertex in ending.one_of_each_chain(table, dead):
                await self.server.mark_dead(state, vertex)
        await self.server.agree(state)

    async def _go_back_to_life(self, vertex: str) -> None:
        """A stone of ours was called dead that is not: it is played out, or at least the marks are cleared."""
        if self.server.abilities.resumes:
            await self.chat.say("bridge.alive", vertex=vertex)
            await self._undo()
        else:
            self._is_marked = False
            await self.chat.say("bridge.alive_marks", vertex=vertex)
            await self.server.undo(self.state)

    async def _handle_divergence(self, vertex: str) -> None:
        await self.chat.say("bridge.divergence", vertex=vertex)
        await self._leave(self.context.config().policies.on_divergence == STOP)

    async def _leave(self, quietly: bool) -> None:
        """End a game that cannot be played on: leave it as it is, or resign."""
        if quietly and self.server.abilities.challenges:
            await self.server.adjourn(self.state)
        else:
            await self.server.resign(self.state)

    def _close_replay(self) -> None:
        ending.settle(self.replay.table, self.state.result, self.state.removed)

    async def _take_leave(self) -> None:
        await super()._take_leave()
        try:
            await self.chat.say_farewell()
        except PeerGone as error:
            # The game is over all the same, and the secret is in its record.
            self.log(f"the farewell could not be said: {error}")

    def _cancel(self) -> None:
        self._stop_timer()
        if self._draw_timer is not None:
            self._draw_timer.cancel()
        super()._cancel()

    # -- what is stored ------------------------------------------------------------------------------------------------

    def record(self) -> Record | None:
        """The game as anybody may have it: the secret only once it is over, nothing while the first draw waits."""
        if self.may_negotiate and not self.is_over:
            return None
        game, has_dice = self.replay.table.game, self.chat.has_dice
        return Record(
            game,
            dice="secret" if has_dice else None,
            commitment=DiceStream(self.stored.secret).commitment if has_dice else None,
            secret=self.stored.secret if has_dice and self.is_over else None,
            told=frozenset(turn for turn, _ in self.replay.table.draws.told),
            players=dict(self.state.players),
            result=ending.stated_result(game, self.state.result) if self.is_over else None,
            comment=f"on the server: {self.state.result}" if self.state.result else "",
        )

    # -- the opponent --------------------------------------------------------------------------------------------------

    async def answer_undo_request(self) -> None:
        """The opponent would like a move taken back."""
        limit = self.context.config().policies.undo
        is_wanted = self._disputed is not None or self._awaiting_undo is not None
        is_allowed = self.stored.takebacks < limit or is_wanted
        if is_allowed and not is_wanted:
            self._count_takeback()
        if self.server.abilities.undo == ASKED:
            await self.server.answer_undo(self.state, is_allowed)
        if not is_allowed:
            await self.chat.say("bridge.no_undo", count=limit)

    def _count_takeback(self) -> None:
        self.stored = replace(self.stored, takebacks=self.stored.takebacks + 1)
        self._save()

    async def _answer_komi_offer(self, offer: KomiOffer) -> None:
        """Another komi is taken before the first move, if it is one we play with."""
        low, high = self.context.config().challenges.komi
        if not self.state.moves and low <= offer.komi <= high:
            await self.server.accept_komi(offer)
        else:
            await self.server.decline(offer.user)
            await self.chat.say("bridge.komi", least=f"{low:g}", most=f"{high:g}")

    @property
    def may_negotiate(self) -> bool:
        """Whether nobody has seen a draw yet: who has could choose among draws by agreeing on other dice."""
        return self.chat.has_dice and not self.state.moves and not self.stored.has_shown_draw

    async def play_with(self, spec: str) -> None:
        """Go on with other options."""
        if spec != self.stored.spec:
            self.stored = replace(self.stored, spec=spec)
            await self._start_over()
            self._save()

    def accept_end(self) -> None:
        """The opponent wants the next two passes to end the game."""
        self.stored = replace(self.stored, accepts=True)
        self._save()

    def speak(self, user: str, lang: str) -> None:
        """Go on with somebody in another language."""
        if lang != self.stored.lang:
            self.stored = replace(self.stored, lang=lang)
            self._save()
