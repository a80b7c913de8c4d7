"""One game on a server, as the bridge plays it: derived anew from whatever the server says, and acted on.

Every state of the game that the server tells makes the table what it should be.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.config import LET_STAND, STOP, TimeConfig
from gtp_variants.bridge.core.engine import EngineMove
from gtp_variants.bridge.core.game import ending
from gtp_variants.bridge.core.game.base_game import BaseGame, DecisionKey, GameContext
from gtp_variants.bridge.core.game.chat import GameChat
from gtp_variants.bridge.core.game.negotiation import agreed
from gtp_variants.bridge.core.game.replayed_game import (
    RESUMED,
    ReplayedGame,
    ReplayFault,
    Step,
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
    KomiOffer,
    MoveRefused,
    ServerGame,
)
from gtp_variants.bridge.core.state_store import StoredGame
from gtp_variants.errors import PeerError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import PASS
from gtp_variants.rules.dice.stream import DiceStream

# How often a game that has a server's scoring is gone back to because of stones that are not dead.
_PLAYED_OUT_AT_MOST = 2


class GoGame(BaseGame):
    """One game that our rules follow on their own; nothing but `update` changes what is played."""

    def __init__(self, context: GameContext, game: ServerGame, entry: StoredGame, is_new: bool) -> None:
        """Raises VariantsError for a game our rules cannot follow."""
        rules = rules_of(entry.spec, game)
        make_replay = partial(ReplayedGame, rules, entry.secret, setup_of(rules, game))
        self.replay = make_replay()
        super().__init__(context, game, entry, rules, make_replay)
        self.is_new = is_new
        self.chat = GameChat(self)
        self._timer: asyncio.TimerHandle | None = None
        self._disputed: tuple[object, object] | None = None
        # The moves of which we asked the last to be taken back, and on which connection; and what happens between us
        # instead, by the number of moves that have gone.
        self._undoing: tuple[object, object] | None = None
        self._instead: dict[int, tuple[Step, ...]] = {}
        # The moves whose last two passes stand because the opponent did not let them go.
        self._ended_at: object = None
        # What is done if the opponent does not let a move go that we asked for.
        self._in_vain: Callable[[], Awaitable[None]] | None = None
        self._refused: dict[DecisionKey, list[int]] = {}
        self._played_out = 0
        self._is_marked = False

    # -- what the server says ------------------------------------------------------------------------------------------

    async def update(self, game: ServerGame) -> None:
        if not game.is_whole:
            game = replace(self.state, phase=game.phase, result=game.result, asked=False)
        old = self.state
        self._take_in(game, f"{len(game.moves)} moves")
        if self._undoing == (self.server, game.moves) and game.phase in (PLAYING, SCORING):
            return
        instead = self._instead.get(len(old.moves) - len(game.moves), ())
        self._undoing, self._instead = None, {}
        if game.moves != old.moves:
            # A position that comes back is answered again, and passes that went after all may come again.
            self._acted = self._ended_at = None
        if (game.komi, game.handicap, game.size, game.placed) != (old.komi, old.handicap, old.size, old.placed):
            await self._start_over()
        if game.moves[: self.stored.count] != old.moves[: self.stored.count] or len(game.moves) < self.stored.count:
            self._shorten(old)
        if instead:
            self.stored = self.stored.with_unheard(len(game.moves), instead)
        fault = self.replay.follow(self.steps())
        if fault is None:
            self.stored = replace(self.stored, count=len(game.moves))
            if self._disputed is not None:
                self.chat.forget_announced()
            self._disputed = None
            self._stop_timer()
        self._keep()
        if game.phase in (OVER, ADJOURNED):
            await self._end()
        elif fault is not None:
            await self._dispute(fault)
        else:
            await self._go_on()

    def steps(self) -> list[Step]:
        """What happened, with what the server did not hear."""
        return steps_of(self.state.moves, self.stored.unheard, self.stored.told)

    @property
    def lang(self) -> str:
        """The language this opponent is spoken to in."""
        return self.stored.lang

    async def _start_over(self) -> None:
        """Komi or handicap became another: the same game under other rules."""
        await self.thinker.close()
        self.rules = rules_of(self.stored.spec, self.state)
        make_replay = partial(ReplayedGame, self.rules, self.stored.secret, setup_of(self.rules, self.state))
        self.replay = make_replay()
        self.thinker = self._new_thinker(make_replay)
        self._thoughts.clear()

    def _shorten(self, old: ServerGame) -> None:
        same = 0
        for mine, theirs in zip(old.moves, self.state.moves, strict=False):
            if mine != theirs:
                break
            same += 1
        self.stored = self.stored.shortened(min(same, self.stored.count))
        self.chat.forget_announced()

    async def _go_on(self) -> None:
        if self.state.phase == SCORING:
            await self._after_passes()
            return
        self._is_marked = False
        if self.rules.is_final(self.replay.table.position):
            return
        await self.chat.announce()
        if self._has_diverged():
            await self._diverge(self.state.moves[-1][1])
        elif self.state.asked:
            self._think()

    def _has_diverged(self) -> bool:
        """Whether the last move made another board here than on the server, which plays Go."""
        is_drawn = self.server.abilities.edits
        if self.rules.name != "alter-igo" or is_drawn or not self.state.moves or self._has_acted():
            return False
        there = ReplayedGame(parse(f"go:size={self.state.size},repetition=none"), b"", {})
        fault = there.follow(self.steps())
        has_diverged = fault is not None or there.table.position.stones != self.replay.table.position.stones
        if has_diverged:
            self._acted = self.server, self._moment()
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
        self._keep()
        if not is_theirs or abilities.undo == NEVER or self.stored.warnings > config.warnings:
            await self._cannot_undo(fault, why)
        elif abilities.undo == AT_ONCE:
            await self.chat.say("bridge.wrong", why=why, open=self.chat.open_points())
            await self._ask_undo(fault, why)
        else:
            await self.chat.say("bridge.wrong_ask", why=why, open=self.chat.open_points())
            self._in(self._undo_wait_s(), lambda: self._ask_undo(fault, why))

    async def _ask_undo(self, fault: ReplayFault, why: str) -> None:
        await self._undo_or(lambda: self._cannot_undo(fault, why))

    async def _undo_or(self, in_vain: Callable[[], Awaitable[None]]) -> None:
        """Ask for the last move to go; `in_vain` is done if it is refused, or still there after a while."""
        self._in_vain = in_vain
        self._in(self._undo_wait_s(), in_vain)
        await self.server.undo(self.state)

    def undo_refused(self) -> None:
        """A move that we asked for is not taken back."""
        in_vain, self._in_vain = self._in_vain, None
        if in_vain is not None and self._timer is not None:
            self._stop_timer()
            self._start(in_vain)

    async def _cannot_undo(self, fault: ReplayFault, why: str) -> None:
        """The stone stays on the server: it is let stand, or the game ends."""
        policy = self.context.config().policies.illegal
        number = len(self.state.moves) - 1
        if (
            policy == LET_STAND
            and getattr(fault.error, "reason", "") == "line"
            and fault.index == len(self.steps()) - 1
        ):
            self.stored = replace(self.stored, told=(*self.stored.told, number))
            if self.replay.follow(self.steps()) is None:
                await self.chat.say("bridge.wrong_stays", why=why)
                await self.update(self.state)
                return
        await self.chat.say("bridge.wrong_end", why=why)
        await self._leave(policy == STOP)

    def _in(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
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

    def _moment(self) -> DecisionKey:
        unheard = tuple(each for each in self.stored.unheard if each.count == len(self.state.moves))
        return self.state.moves, unheard, self.stored.told, self.state.komi, self.state.handicap, self.stored.spec

    def _is_wanted(self) -> bool:
        return super()._is_wanted() and self.state.phase == PLAYING and self._disputed is None

    def _least_s(self, time: TimeConfig) -> float:
        return time.at_least_s if self.state.moves else max(time.first_s, time.at_least_s)

    async def _give_up(self) -> None:
        await self.chat.say("bridge.engine")
        await super()._give_up()

    def _may(self, action: int) -> bool:
        return action not in self._refused_now() and super()._may(action)

    def _fallback(self) -> int:
        return policies.fallback(self.rules, self.replay.table.position, self._refused_now())

    def _refused_now(self) -> Sequence[int]:
        """What the server did not take in this moment."""
        return self._refused.get(self._moment(), ())

    async def _play(self, action: int, thought: EngineMove) -> None:
        table = self.replay.table
        if not self.server.abilities.edits and policies.diverges(self.rules, table, action):
            self._acted = self.server, self._moment()
            await self._diverge(self.rules.board.vertex(action))
            return
        if action == PASS and self._is_second_pass():
            double_pass = self.context.config().policies.double_pass
            kind = policies.END if self.stored.accepts else policies.own_second_pass(double_pass, table)
            if kind != policies.END and self.server.abilities.chat:
                await self._pass_unheard(kind)
                return
        await super()._play(action, thought)

    def _vertex(self, action: int) -> str:
        return "pass" if action == PASS else self.rules.board.vertex(action)

    def _is_second_pass(self) -> bool:
        moves = self.state.moves
        return bool(moves) and moves[-1][1] == "pass"

    async def _pass_unheard(self, kind: str) -> None:
        """We have no point and the opponent passed: what happens then stays between us."""
        me, other = self.state.colour, 3 - self.state.colour
        count = len(self.state.moves)
        mine, resumed = Step(me, "pass"), Step(other, RESUMED)
        if kind == policies.AGAIN or self.server.abilities.undo != AT_ONCE:
            self.stored = self.stored.with_unheard(count, [mine, resumed, Step(other, "pass")])
            self._keep()
            await self.chat.say("bridge.again_me")
            await self.update(self.state)
            return
        self.stored = self.stored.shortened(count - 1).with_unheard(count - 1, [Step(other, "pass"), mine, resumed])
        self._keep()
        await self.chat.say("bridge.hand_back")
        await self._undo()

    async def move_refused(self, refusal: MoveRefused) -> None:
        """The server did not take our move: it will not be sent again."""
        thought = self._thoughts.get(self._moment())
        if thought is None or not self._has_acted():
            return
        self.log(f"the server refused a move: {refusal.why}")
        if self.rules.name == "alter-igo":
            await self._diverge(self.rules.board.vertex(thought.action) if thought.action >= 0 else "pass")
            return
        refused = self._refused.setdefault(self._moment(), [])
        refused.append(thought.action if thought.action not in refused else self._fallback())
        self._acted = None
        self._think()

    # -- the end -------------------------------------------------------------------------------------------------------

    async def _after_passes(self) -> None:
        """Both passed. Either that is the end, or the game goes on."""
        positions = self._positions_of_passes()
        moves = self.state.moves
        kind = policies.END
        may_go_back = not self.stored.accepts and self._ended_at != moves
        if positions is not None and moves[-1][0] != self.state.colour and may_go_back:
            kind = policies.their_second_pass(self.context.config().policies.double_pass, self.rules, *positions)
        if kind == policies.END or not self.server.abilities.resumes:
            await self._score()
        else:
            await self._go_back(kind)

    def _positions_of_passes(self) -> tuple[Any, Any] | None:
        return ending.positions_of_passes(self.replay.table.game)

    async def _go_back(self, kind: str) -> None:
        """The opponent's second pass is taken back on the server; where he has no point it stands between us."""
        if kind == policies.AGAIN:
            me = self.state.colour
            mine, theirs, resumed = Step(me, "pass"), Step(3 - me, "pass"), Step(me, RESUMED)
            await self.chat.say("bridge.again_you")
            # Where the opponent lets it go, ours may go with it.
            await self._undo({1: (theirs, resumed, mine), 2: (mine, theirs, resumed)})
        else:
            positions = self._positions_of_passes()
            assert positions is not None
            await self.chat.say("bridge.second_plays", open=self.chat.open_points(positions[1]))
            await self._undo()

    async def _undo(self, instead: dict[int, tuple[Step, ...]] | None = None) -> None:
        """Ask for the last move to go; until it has gone, or is not let go, the game stands still."""
        self._undoing, self._instead = (self.server, self.state.moves), instead or {}
        if self.server.abilities.undo == ASKED:
            await self.chat.say("bridge.please_undo")
        await self._undo_or(self._not_undone)

    async def _not_undone(self) -> None:
        """The opponent does not let the last move go: the game ends as it stands."""
        self._undoing, self._instead, self._ended_at = None, {}, self.state.moves
        if self.state.phase == SCORING:
            await self._score()

    def _undo_wait_s(self) -> float:
        clock = self.state.clocks.get(self.state.colour, NO_LIMIT)
        return policies.undo_wait(self.context.config().policies, clock)

    async def _score(self) -> None:
        """Mark what the engine calls dead, once, and agree to what is marked."""
        if not self.server.abilities.marks:
            return
        config = self.context.config().policies
        dead: tuple[str, ...] = ()
        if config.dead:
            try:
                dead = await self.thinker.dead(self.steps())
            except PeerError as error:
                self.log(f"the engine does not say what is dead: {error}")
        alive = [v for v in ending.stones_of(self.replay.table, self.state.colour, self.state.removed) if v not in dead]
        may_go_back = self._played_out < _PLAYED_OUT_AT_MOST and self._ended_at != self.state.moves
        if alive and may_go_back:
            self._played_out += 1
            await self._go_back_to_life(alive[0])
            return
        if not self._is_marked:
            self._is_marked = True
            for vertex in ending.one_of_each_chain(self.replay.table, dead):
                await self.server.mark_dead(self.state, vertex)
        await self.server.agree(self.state)

    async def _go_back_to_life(self, vertex: str) -> None:
        """A stone of ours was called dead that is not: it is played out, or at least the marks are cleared."""
        if self.server.abilities.resumes:
            await self.chat.say("bridge.alive", vertex=vertex)
            await self._undo()
        else:
            self._is_marked = False
            await self.chat.say("bridge.alive_marks", vertex=vertex)
            await self.server.undo(self.state)

    async def done_refused(self) -> None:
        """The marks changed after we agreed to them."""
        if self.state.phase == SCORING:
            await self._score()

    async def _diverge(self, vertex: str) -> None:
        await self.chat.say("bridge.divergence", vertex=vertex)
        await self._leave(self.context.config().policies.on_divergence == STOP)

    async def _leave(self, quietly: bool) -> None:
        """End a game that cannot be played on: leave it as it is, or resign."""
        if quietly and self.server.abilities.challenges:
            await self.server.adjourn(self.state)
        else:
            await self.server.resign(self.state)

    def _settle(self) -> None:
        """Make our game end as the server's did, where our rules can say it."""
        ending.settle(self.replay.table, self.state.result, self.state.removed)

    async def _take_leave(self) -> None:
        await self.chat.farewell()
        await super()._take_leave()

    def _cancel(self) -> None:
        self._stop_timer()
        super()._cancel()

    # -- what is kept --------------------------------------------------------------------------------------------------

    def record(self) -> Record:
        """The game as anybody may have it: the secret only once it is over."""
        game, has_dice = self.replay.table.game, self.chat.has_dice
        told = {turn for turn, _ in self.replay.table.draws.told}
        comment = f"on the server: {self.state.result}" if self.state.result else ""
        return Record(
            game,
            dice="secret" if has_dice else None,
            commitment=DiceStream(self.stored.secret).commitment if has_dice else None,
            secret=self.stored.secret if has_dice and self.is_over else None,
            told=frozenset(told),
            players=dict(self.state.players),
            comment=comment,
        )

    # -- the opponent --------------------------------------------------------------------------------------------------

    async def undo_asked(self) -> None:
        """The opponent would like a move taken back."""
        limit = self.context.config().policies.undo
        is_wanted = self._disputed is not None or self._undoing is not None
        allowed = self.stored.takebacks < limit or is_wanted
        if allowed and not is_wanted:
            self.stored = replace(self.stored, takebacks=self.stored.takebacks + 1)
            self._keep()
        if self.server.abilities.undo == ASKED:
            await self.server.let_undo(self.state, allowed)
        if not allowed:
            await self.chat.say("bridge.no_undo", count=limit)

    async def komi_offered(self, offer: KomiOffer) -> None:
        """Another komi is taken before the first move, if it is one we play with."""
        low, high = self.context.config().challenges.komi
        if not self.state.moves and low <= offer.komi <= high:
            await self.server.accept_komi(offer)
        else:
            await self.server.decline(offer.user)
            await self.chat.say("bridge.komi", least=f"{low:g}", most=f"{high:g}")

    @property
    def may_agree(self) -> bool:
        """Whether nothing has happened yet, so that the players can agree on other options."""
        return not self.state.moves and not self.stored.unheard and self._acted is None

    def wished(self, command: str, word: str) -> str:
        """The SPEC with another option. Raises NotationError for what is none."""
        return agreed(self.stored.spec, command, word, self.state.size)

    async def play_with(self, spec: str) -> None:
        """Go on with other options."""
        if spec != self.stored.spec:
            self.stored = replace(self.stored, spec=spec)
            await self._start_over()
            self._keep()
            if self.state.asked:
                self._think()

    def accept_end(self) -> None:
        """The opponent wants the next two passes to end the game."""
        self.stored = replace(self.stored, accepts=True)
        self._keep()

    def speak(self, lang: str) -> None:
        """Go on in another language."""
        if lang != self.stored.lang:
            self.stored = replace(self.stored, lang=lang)
            self._keep()
