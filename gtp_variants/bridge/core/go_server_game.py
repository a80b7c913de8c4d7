"""A game of any of our rules on a server that knows only Go: it follows the moves there and settles the rest in chat.

Every state of the game that the server tells makes the table what it should be.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gtp_variants.bridge.core import ending, policies
from gtp_variants.bridge.core.base_game import DecisionKey, FollowedGame, GameContext
from gtp_variants.bridge.core.chat import GameChat
from gtp_variants.bridge.core.config import STOP, TimeConfig
from gtp_variants.bridge.core.ending import DeadStones, DoublePass
from gtp_variants.bridge.core.engine_seat import EngineMove
from gtp_variants.bridge.core.game_sync import RESUMED, ReplayedGame, Step, go_rules, rules_of, setup_of, steps_of
from gtp_variants.bridge.core.server import (
    ADJOURNED,
    ASKED,
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
from gtp_variants.bridge.core.takebacks import AskedUndo, WrongStones
from gtp_variants.errors import PeerGone
from gtp_variants.records.record import Record
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.dice_stream import DiceStream


class FirstDraw:
    """The draw of the first turn: nobody sees it while the players may still agree on other dice."""

    def __init__(self, game: FollowedGame) -> None:
        self._game = game
        # Until when it is shown to nobody, None before the game was gone into.
        self._waits_until_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def waits(self) -> bool:
        """Return True if the players still have time to agree; when it is over the draw is shown."""
        if not self._game.may_negotiate:
            return False
        loop, first_s = asyncio.get_running_loop(), self._game.context.config().time.first_s
        if self._waits_until_s is None:
            self._waits_until_s = loop.time() + first_s
            if first_s > 0:
                self._timer = loop.call_at(self._waits_until_s, lambda: self._game.turn.start(self.show))
        return loop.time() < self._waits_until_s

    async def show(self) -> None:
        """Let the first turn begin: nothing about the dice can be agreed on any more. Raises PeerGone."""
        if self._game.may_negotiate and self._game.state.phase == PLAYING:
            self._waits_until_s = asyncio.get_running_loop().time()
            self.stop_timer()
            await self._game.go_on()

    def note_shown(self) -> None:
        """Write down that the draw is shown, before anybody sees it."""
        if self._game.may_negotiate:
            self._game.stored = replace(self._game.stored, has_shown_draw=True)
            self._game.save()

    def stop_timer(self) -> None:
        """Show nothing by itself any more."""
        if self._timer is not None:
            self._timer.cancel()


class GoGame(FollowedGame):
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
        self.first_draw = FirstDraw(self)
        self.undo = AskedUndo(self)
        self.wrong_stones = WrongStones(self, self.undo)
        self.passes = DoublePass(self, self.undo, self._score)
        self.dead_stones = DeadStones(self, self.passes)
        # The moves of ours that the server did not take, by the state of the game.
        self._refused: dict[DecisionKey, list[int]] = {}

    # -- what the server says ------------------------------------------------------------------------------------------

    async def update(self, state: ServerGame) -> None:
        if not state.is_whole:
            state = replace(self.state, phase=state.phase, result=state.result, awaits_move=False)
        old = self.state
        self._take_in(state, f"{len(state.moves)} moves")
        # Where passes stay the phase alone says that play goes on.
        goes_on = self.server.abilities.passes_stay and (old.phase, state.phase) == (SCORING, PLAYING)
        if self.undo.holds_up(state) and not goes_on:
            return
        steps_instead = self.undo.end(len(old.moves) - len(state.moves))
        if state.moves != old.moves or goes_on:
            # A position that comes back is answered again, and passes that went after all may come again.
            self.turn.forget_answer()
            self.passes.reset()
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
            if self.wrong_stones.is_disputed:
                self.chat.reset_announcement()
            self.wrong_stones.settle()
        self.save()
        if state.phase in (OVER, ADJOURNED):
            await self._end()
        elif fault is not None:
            await self.wrong_stones.dispute(fault)
        else:
            await self.go_on()

    async def handle(self, event: GameEvent) -> None:
        """Act on what the server tells of this game beside its state."""
        match event:
            case KomiOffer():
                await self._answer_komi_offer(event)
            case UndoRequest():
                await self.answer_undo_request()
            case UndoRefused():
                self.undo.refuse()
            case MoveRefused():
                await self._replace_refused_move(event)
            case DoneRefused() if self.state.phase == SCORING:
                await self._score()

    def steps(self) -> list[Step]:
        """Return what happened, with the steps that the server did not hear."""
        moves = self.state.moves
        found = steps_of(moves, self.stored.private_steps, self.stored.let_stand)
        is_resumed = self.state.phase == PLAYING and [word for _, word in moves[-2:]] == ["pass", "pass"]
        if self.server.abilities.passes_stay and is_resumed and found[-1].word != RESUMED:
            found.append(Step(3 - moves[-1][0], RESUMED))
        return found

    async def _start_over(self) -> None:
        """Komi or handicap became another: the same game under other rules."""
        rules = rules_of(self.stored.spec, self.state)
        stay, setup = self.server.abilities.passes_stay, setup_of(rules, self.state)
        make_replay = partial(ReplayedGame, rules, self.stored.secret, setup, passes_stay=stay)
        await self.turn.change_game(make_replay)
        self.rules = rules
        self.replay = make_replay()

    def _shorten(self, old: ServerGame) -> None:
        pairs = enumerate(zip(old.moves, self.state.moves, strict=False))
        same = next((number for number, (mine, theirs) in pairs if mine != theirs), len(self.state.moves))
        self.stored = self.stored.cut_to(min(same, len(old.moves), self.stored.count))
        self.chat.reset_announcement()

    async def go_on(self) -> None:
        if self.state.phase == SCORING:
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

    async def _score(self) -> None:
        await self.dead_stones.agree()

    def _diverges(self) -> bool:
        """Return True if the last move made another board here than on the server, which plays Go."""
        is_ours = self.server.abilities.edits
        if is_ours or self.rules.profile.captures_as_go or not self.state.moves or self.turn.has_answer:
            return False
        there = ReplayedGame(go_rules(self.state.size), b"", {})
        fault = there.follow(self.steps())
        has_diverged = fault is not None or there.table.position.stones != self.replay.table.position.stones
        if has_diverged:
            self.turn.note_answer()
        return has_diverged

    async def _handle_divergence(self, vertex: str) -> None:
        await self.chat.say("bridge.divergence", vertex=vertex)
        await self.leave(self.context.config().policies.on_divergence == STOP)

    async def leave(self, quietly: bool) -> None:
        if quietly and self.server.abilities.challenges:
            await self.server.adjourn(self.state)
        else:
            await self.server.resign(self.state)

    # -- our moves -----------------------------------------------------------------------------------------------------

    def decision_key(self) -> DecisionKey:
        state, stored = self.state, self.stored
        steps = tuple(each for each in stored.private_steps if each.count == len(state.moves))
        return state.moves, steps, stored.let_stand, state.komi, state.handicap, stored.spec

    def awaits_answer(self) -> bool:
        return super().awaits_answer() and self.state.phase == PLAYING and not self.wrong_stones.is_disputed

    def least_time_s(self, time: TimeConfig) -> float:
        # Under dice the first draw has waited for what people agree on.
        is_late = self.state.moves or self.chat.has_dice
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
        """The moves that the server did not take in this state."""
        return self._refused.get(self.decision_key(), ())

    async def play(self, action: int, move: EngineMove) -> None:
        position, moves = self.replay.table.position, self.state.moves
        if not self.server.abilities.edits and policies.diverges(self.rules, position, action):
            self.turn.note_answer()
            await self._handle_divergence(self.vertex(action))
            return
        is_second_pass = action == PASS and moves and moves[-1][1] == "pass"
        if not is_second_pass or not await self.passes.pass_second():
            await super().play(action, move)

    async def _replace_refused_move(self, refusal: MoveRefused) -> None:
        """The server did not take our move: it will not be sent again."""
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

    # -- the end -------------------------------------------------------------------------------------------------------

    def _close_replay(self) -> None:
        ending.settle(self.replay.table, self.state.result, self.state.removed)

    async def _take_leave(self) -> None:
        await super()._take_leave()
        try:
            await self.chat.say_farewell()
        except PeerGone as error:
            # The game is over all the same, and the secret is in its record.
            self.log(f"the farewell could not be said: {error}")

    def cancel(self) -> None:
        self.undo.stop_timer()
        self.first_draw.stop_timer()
        super().cancel()

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
        is_wanted = self.wrong_stones.is_disputed or self.undo.is_standing_still
        is_allowed = self.stored.takebacks < limit or is_wanted
        if is_allowed and not is_wanted:
            self._count_takeback()
        if self.server.abilities.undo == ASKED:
            await self.server.answer_undo(self.state, is_allowed)
        if not is_allowed:
            await self.chat.say("bridge.no_undo", count=limit)

    def _count_takeback(self) -> None:
        self.stored = replace(self.stored, takebacks=self.stored.takebacks + 1)
        self.save()

    async def _answer_komi_offer(self, offer: KomiOffer) -> None:
        """Accept another komi before the first move, if it is one we play with."""
        low, high = self.context.config().challenges.komi
        if not self.state.moves and low <= offer.komi <= high:
            await self.server.accept_komi(offer)
        else:
            await self.server.decline(offer.user)
            await self.chat.say("bridge.komi", least=f"{low:g}", most=f"{high:g}")

    async def play_with(self, spec: str) -> None:
        if spec != self.stored.spec:
            self.stored = replace(self.stored, spec=spec)
            await self._start_over()
            self.save()
