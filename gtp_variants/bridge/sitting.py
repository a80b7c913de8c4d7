"""One game on a server, as the bridge plays it: derived anew from whatever the server says, and acted on.

Every state of the game that the server tells makes the table what it should be; what we decide belongs to one state and
is dropped when another comes. So an answer is given once, and none is given to a position that is no more.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from gtp_variants.bridge import policies
from gtp_variants.bridge.agreed import agreed
from gtp_variants.bridge.config import LET_STAND, STOP, BridgeConfig
from gtp_variants.bridge.course import RESUMED, Course, Fault, Step, rules_of, seat_seed, setup_of, steps_of
from gtp_variants.bridge.engine import Thinker, Thought
from gtp_variants.bridge.hosting import Host
from gtp_variants.bridge.logs import Log
from gtp_variants.bridge.server import (
    ADJOURNED,
    ASKED,
    AT_ONCE,
    NEVER,
    OVER,
    PLAYING,
    SCORING,
    KomiOffered,
    MoveRefused,
    Note,
    Server,
    ServerGame,
)
from gtp_variants.bridge.vault import Entry, Vault, safe
from gtp_variants.errors import PeerError, PeerGone, VariantsError
from gtp_variants.players.clock import NO_LIMIT
from gtp_variants.records.files import save
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, FLAG, FORFEIT, MARK_DEAD, PASS, RESIGN, SETTLE, pack
from gtp_variants.rules.chains import chain
from gtp_variants.rules.dice import DiceStream
from gtp_variants.rules.rules import Rules

# How often a game that has a server's scoring is gone back to because of stones that are not dead.
_PLAYED_OUT_AT_MOST = 2


@dataclass(frozen=True, slots=True)
class House:
    """What a game needs of the session it belongs to. `config` and `server` are asked for anew each time.

    `show` is told the name of a game's record, the record as it stands, whether the game is over, the server's result.
    """

    config: Callable[[], BridgeConfig]
    server: Callable[[], Server]
    vault: Vault
    log: Log
    ended: Callable[[Any], Awaitable[None]]
    failed: Callable[[str], Awaitable[None]]
    show: Callable[[str, Record, bool, str], None]


# What a decision belongs to: how far the game went on the server, and how far between us.
_Moment = tuple[object, ...]


class Sitting:
    """One game. `update` is told every state of it, in order; nothing else changes what is played."""

    def __init__(self, house: House, game: ServerGame, entry: Entry, is_new: bool) -> None:
        """Raises VariantsError for a game our rules cannot follow."""
        self.house = house
        self.game = game
        self.entry = entry
        self.is_new = is_new
        self.rules: Rules[Any] = rules_of(entry.spec, game)
        self.course = Course(self.rules, entry.secret, setup_of(self.rules, game))
        config = house.config()
        folder = config.outputs.folder
        self.log = Log(folder / "logs" / f"{entry.record}.log", config.outputs, config.server.password)
        self.host = Host(self)
        self.thinker = self._new_thinker()
        self.record_path = records_folder(config) / f"{entry.record}.sgf"
        self.has_failed = False
        self.is_over = False
        self._told_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        # What was decided, and for which moment; what was sent, and on which connection.
        self._thoughts: dict[_Moment, Thought] = {}
        self._acted: tuple[object, _Moment] | None = None
        self._disputed: tuple[object, object] | None = None
        # The moves of which we asked the last to be taken back, and on which connection; and what happens between us
        # instead, by the number of moves that have gone.
        self._undoing: tuple[object, object] | None = None
        self._instead: dict[int, tuple[Step, ...]] = {}
        # The moves whose last two passes stand because the opponent did not let them go.
        self._ended_at: object = None
        # What is done if the opponent does not let a move go that we asked for.
        self._in_vain: Callable[[], Awaitable[None]] | None = None
        self._refused: dict[_Moment, list[int]] = {}
        self._played_out = 0
        self._is_marked = False

    def _new_thinker(self) -> Thinker:
        config = self.house.config()
        talk = config.outputs.folder / "logs" / f"{self.entry.record}.gtp"
        rules, secret, setup = self.rules, self.entry.secret, self.course.setup
        make = partial(Course, rules, secret, setup)
        return Thinker(config.engine, make, seat_seed(secret), self.game.colour, talk, self.log)

    # -- what the server says ------------------------------------------------------------------------------------------

    async def update(self, game: ServerGame) -> None:
        """The state of the game now. Raises PeerGone if the answer cannot be sent."""
        if not game.is_whole:
            game = replace(self.game, phase=game.phase, result=game.result, asked=False)
        old, self.game = self.game, game
        self._told_at = asyncio.get_running_loop().time()
        self.log.quietly(f"{game.phase}, {len(game.moves)} moves" + (f", result {game.result}" if game.result else ""))
        if self._undoing == (self.server, game.moves) and game.phase in (PLAYING, SCORING):
            return
        instead = self._instead.get(len(old.moves) - len(game.moves), ())
        self._undoing, self._instead = None, {}
        if game.moves != old.moves:
            # A position that comes back is answered again, and passes that went after all may come again.
            self._acted = self._ended_at = None
        if (game.komi, game.handicap, game.size, game.placed) != (old.komi, old.handicap, old.size, old.placed):
            await self._start_over()
        if game.moves[: self.entry.count] != old.moves[: self.entry.count] or len(game.moves) < self.entry.count:
            self._shorten(old)
        if instead:
            self.entry = self.entry.with_unheard(len(game.moves), instead)
        fault = self.course.follow(self.steps())
        if fault is None:
            self.entry = replace(self.entry, count=len(game.moves))
            if self._disputed is not None:
                self.host.forget_announced()
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
        return steps_of(self.game.moves, self.entry.unheard, self.entry.told)

    @property
    def lang(self) -> str:
        """The language this opponent is spoken to in."""
        return self.entry.lang

    @property
    def server(self) -> Server:
        """The server as we are connected to it now."""
        return self.house.server()

    async def _start_over(self) -> None:
        """Komi or handicap became another: the same game under other rules."""
        await self.thinker.close()
        self.rules = rules_of(self.entry.spec, self.game)
        self.course = Course(self.rules, self.entry.secret, setup_of(self.rules, self.game))
        self.thinker = self._new_thinker()
        self._thoughts.clear()

    def _shorten(self, old: ServerGame) -> None:
        same = 0
        for mine, theirs in zip(old.moves, self.game.moves, strict=False):
            if mine != theirs:
                break
            same += 1
        self.entry = self.entry.shortened(min(same, self.entry.count))
        self.host.forget_announced()

    async def _go_on(self) -> None:
        if self.game.phase == SCORING:
            await self._after_passes()
            return
        self._is_marked = False
        if self.rules.is_final(self.course.table.position):
            return
        await self.host.announce()
        if self._has_diverged():
            await self._diverge(self.game.moves[-1][1])
        elif self.game.asked:
            self._think()

    def _has_diverged(self) -> bool:
        """Whether the last move made another board here than on the server, which plays Go."""
        moment = self._moment()
        is_drawn = self.server.abilities.edits
        if self.rules.name != "alter-igo" or is_drawn or not self.game.moves or self._acted == (self.server, moment):
            return False
        there = Course(parse(f"go:size={self.game.size},repetition=none"), b"", {})
        fault = there.follow(self.steps())
        has_diverged = fault is not None or there.table.position.stones != self.course.table.position.stones
        if has_diverged:
            self._acted = self.server, moment
        return has_diverged

    # -- wrong stones --------------------------------------------------------------------------------------------------

    async def _dispute(self, fault: Fault) -> None:
        """A move of the server's does not replay: that is a state to settle, and until then nothing is played."""
        if self._disputed == (self.server, self.game.moves):
            return
        self._cancel()
        self._disputed = self.server, self.game.moves
        why = self.host.why(fault)
        self.log(f"dispute: step {fault.index + 1}, {fault.step.word}: {why}")
        config, abilities = self.house.config().policies, self.server.abilities
        is_theirs = fault.step.colour != self.game.colour and fault.index == len(self.steps()) - 1
        self.entry = replace(self.entry, warnings=self.entry.warnings + 1)
        self._keep()
        if not is_theirs or abilities.undo == NEVER or self.entry.warnings > config.warnings:
            await self._cannot_undo(fault, why)
        elif abilities.undo == AT_ONCE:
            await self.host.say("wrong", why=why, open=self.host.open_points())
            await self._ask_undo(fault, why)
        else:
            await self.host.say("wrong ask", why=why, open=self.host.open_points())
            self._in(self._undo_wait_s(), lambda: self._ask_undo(fault, why))

    async def _ask_undo(self, fault: Fault, why: str) -> None:
        await self._undo_or(lambda: self._cannot_undo(fault, why))

    async def _undo_or(self, in_vain: Callable[[], Awaitable[None]]) -> None:
        """Ask for the last move to go; `in_vain` is done if it is refused, or still there after a while."""
        self._in_vain = in_vain
        self._in(self._undo_wait_s(), in_vain)
        await self.server.undo(self.game)

    def undo_refused(self) -> None:
        """A move that we asked for is not taken back."""
        in_vain, self._in_vain = self._in_vain, None
        if in_vain is not None and self._timer is not None:
            self._stop_timer()
            self._start(in_vain)

    async def _cannot_undo(self, fault: Fault, why: str) -> None:
        """The stone stays on the server: it is let stand, or the game ends."""
        policy = self.house.config().policies.illegal
        number = len(self.game.moves) - 1
        if (
            policy == LET_STAND
            and getattr(fault.error, "reason", "") == "line"
            and fault.index == len(self.steps()) - 1
        ):
            self.entry = replace(self.entry, told=(*self.entry.told, number))
            if self.course.follow(self.steps()) is None:
                await self.host.say("wrong stays", why=why)
                await self.update(self.game)
                return
        await self.host.say("wrong end", why=why)
        await self._leave(policy == STOP)

    def _in(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do something later, unless the dispute is settled before."""
        self._stop_timer()
        moves = self.game.moves

        def start() -> None:
            if self.game.moves == moves and not self.is_over:
                self._start(work)

        self._timer = asyncio.get_running_loop().call_later(seconds, start)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- our moves -----------------------------------------------------------------------------------------------------

    def _moment(self) -> _Moment:
        unheard = tuple(each for each in self.entry.unheard if each.count == len(self.game.moves))
        return self.game.moves, unheard, self.entry.told, self.game.komi, self.game.handicap, self.entry.spec

    def _think(self) -> None:
        moment = self._moment()
        # What was decided later than it was asked for may ask for an answer itself.
        is_busy = self._task is not None and not self._task.done() and self._task is not asyncio.current_task()
        if self._acted == (self.server, moment) or is_busy:
            return
        self._start(lambda: self._answer(moment))

    def _start(self, work: Callable[[], Awaitable[None]]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._safely(work))

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except PeerGone as error:
            # The connection ends on its own; on the next one we are asked again.
            self.log.quietly(f"could not be sent: {error}")
        except Exception as error:
            self.log.failure("unexpected", error)
            await self.house.failed(f"{type(error).__name__}: {error}")
            # Better a word and an end than an opponent who waits for our time to run out.
            with suppress(PeerGone):
                await self._give_up()

    async def _answer(self, moment: _Moment) -> None:
        """Think, and act on what was thought if it is still asked for; else on what is asked for by then."""
        while True:
            thought = self._thoughts.get(moment)
            if thought is None:
                thought = await self._thought()
                if thought is None:
                    return
                self._thoughts = {moment: thought}
            if moment == self._moment():
                break
            moment = self._moment()
            if not self.game.asked or self.game.phase != PLAYING or self._disputed is not None or self.is_over:
                return
        if self._acted != (self.server, moment) and self.game.asked and not self.is_over:
            await self._act(moment, thought)

    async def _thought(self) -> Thought | None:
        config = self.house.config()
        began = asyncio.get_running_loop().time()
        clock = self.game.clocks.get(self.game.colour, NO_LIMIT)
        try:
            thought = await self.thinker.choose(
                self.steps(), policies.thinking_clock(clock, config.time, began - self._told_at)
            )
        except PeerError as error:
            await self._engine_failed(error)
            return None
        least_s = config.time.at_least_s if self.game.moves else max(config.time.first_s, config.time.at_least_s)
        rest_s = least_s - (asyncio.get_running_loop().time() - began)
        if rest_s > 0:
            await asyncio.sleep(rest_s)
        return thought

    async def _engine_failed(self, error: PeerError) -> None:
        self.log(f"the engine is given up: {error}")
        await self._give_up()

    async def _give_up(self) -> None:
        self.has_failed = True
        await self.host.say("engine")
        await self.server.resign(self.game)

    async def _act(self, moment: _Moment, thought: Thought) -> None:
        table, config = self.course.table, self.house.config().policies
        action = thought.action
        refused = self._refused.get(moment, [])
        if action in refused or (action == RESIGN and not config.resign):
            action = policies.fallback(self.rules, table.position, refused)
        if action == RESIGN:
            self._acted = self.server, moment
            self.log(f"resigns after {len(self.game.moves)} moves")
            await self.server.resign(self.game)
            return
        if not self.server.abilities.edits and policies.diverges(self.rules, table, action):
            self._acted = self.server, moment
            await self._diverge(self.rules.board.vertex(action))
            return
        if action == PASS and self._is_second_pass():
            kind = policies.END if self.entry.accepts else policies.own_second_pass(config.double_pass, table)
            if kind != policies.END and self.server.abilities.chat:
                await self._pass_unheard(kind)
                return
        self._acted = self.server, moment
        vertex = "pass" if action == PASS else self.rules.board.vertex(action)
        self.log.quietly(f"plays {vertex}" + (f": {thought.words}" if thought.words else ""))
        await self._send(action, Note(thought.json))

    async def _send(self, action: int, note: Note) -> None:
        """Make the server play our move."""
        vertex = "pass" if action == PASS else self.rules.board.vertex(action)
        await self.server.play(self.game, vertex, note)

    def _is_second_pass(self) -> bool:
        moves = self.game.moves
        return bool(moves) and moves[-1][1] == "pass"

    async def _pass_unheard(self, kind: str) -> None:
        """We have no point and the opponent passed: what happens then stays between us."""
        me, other = self.game.colour, 3 - self.game.colour
        count = len(self.game.moves)
        mine, resumed = Step(me, "pass"), Step(other, RESUMED)
        if kind == policies.AGAIN or self.server.abilities.undo != AT_ONCE:
            self.entry = self.entry.with_unheard(count, [mine, resumed, Step(other, "pass")])
            self._keep()
            await self.host.say("again me")
            await self.update(self.game)
            return
        self.entry = self.entry.shortened(count - 1).with_unheard(count - 1, [Step(other, "pass"), mine, resumed])
        self._keep()
        await self.host.say("hand back")
        await self._undo()

    async def move_refused(self, refusal: MoveRefused) -> None:
        """The server did not take our move: it will not be sent again."""
        moment = self._moment()
        thought = self._thoughts.get(moment)
        if thought is None or self._acted != (self.server, moment):
            return
        self.log(f"the server refused a move: {refusal.why}")
        if self.rules.name == "alter-igo":
            await self._diverge(self.rules.board.vertex(thought.action) if thought.action >= 0 else "pass")
            return
        refused = self._refused.setdefault(moment, [])
        again = thought.action if thought.action not in refused else None
        if again is None:
            again = policies.fallback(self.rules, self.course.table.position, refused)
        refused.append(again)
        self._acted = None
        self._think()

    # -- the end -------------------------------------------------------------------------------------------------------

    async def _after_passes(self) -> None:
        """Both passed. Either that is the end, or the game goes on."""
        positions = self._positions_of_passes()
        moves = self.game.moves
        kind = policies.END
        may_go_back = not self.entry.accepts and self._ended_at != moves
        if positions is not None and moves[-1][0] != self.game.colour and may_go_back:
            kind = policies.their_second_pass(self.house.config().policies.double_pass, self.rules, *positions)
        if kind == policies.END or not self.server.abilities.resumes:
            await self._score()
        else:
            await self._go_back(kind)

    def _positions_of_passes(self) -> tuple[Any, Any] | None:
        """The positions in which the last two passes were made, None if it were not passes."""
        game = self.course.table.game
        passes = [
            game.positions[i] for i, event in enumerate(game.events) if event.action == PASS and event.actor != CHANCE
        ]
        if len(passes) < 2 or self.course.table.position.passes < 2:
            return None
        return passes[-2], passes[-1]

    async def _go_back(self, kind: str) -> None:
        """The opponent's second pass is taken back on the server; where he has no point it stands between us."""
        if kind == policies.AGAIN:
            me = self.game.colour
            mine, theirs, resumed = Step(me, "pass"), Step(3 - me, "pass"), Step(me, RESUMED)
            await self.host.say("again you")
            # Where the opponent lets it go, ours may go with it.
            await self._undo({1: (theirs, resumed, mine), 2: (mine, theirs, resumed)})
        else:
            positions = self._positions_of_passes()
            assert positions is not None
            await self.host.say("second plays", open=self.host.open_points(positions[1]))
            await self._undo()

    async def _undo(self, instead: dict[int, tuple[Step, ...]] | None = None) -> None:
        """Ask for the last move to go; until it has gone, or is not let go, the game stands still."""
        self._undoing, self._instead = (self.server, self.game.moves), instead or {}
        if self.server.abilities.undo == ASKED:
            await self.host.say("please undo")
        await self._undo_or(self._not_undone)

    async def _not_undone(self) -> None:
        """The opponent does not let the last move go: the game ends as it stands."""
        self._undoing, self._instead, self._ended_at = None, {}, self.game.moves
        if self.game.phase == SCORING:
            await self._score()

    def _undo_wait_s(self) -> float:
        clock = self.game.clocks.get(self.game.colour, NO_LIMIT)
        return policies.undo_wait(self.house.config().policies, clock)

    async def _score(self) -> None:
        """Mark what the engine calls dead, once, and agree to what is marked."""
        if not self.server.abilities.marks:
            return
        config = self.house.config().policies
        dead: tuple[str, ...] = ()
        if config.dead:
            try:
                dead = await self.thinker.dead(self.steps())
            except PeerError as error:
                self.log(f"the engine does not say what is dead: {error}")
        alive = [vertex for vertex in self.game.removed if self._is_ours(vertex) and vertex not in dead]
        may_go_back = self._played_out < _PLAYED_OUT_AT_MOST and self._ended_at != self.game.moves
        if alive and may_go_back:
            self._played_out += 1
            await self._go_back_to_life(alive[0])
            return
        if not self._is_marked:
            self._is_marked = True
            for vertex in self._one_of_each_chain(dead):
                await self.server.mark_dead(self.game, vertex)
        await self.server.agree(self.game)

    async def _go_back_to_life(self, vertex: str) -> None:
        """A stone of ours was called dead that is not: it is played out, or at least the marks are cleared."""
        if self.server.abilities.resumes:
            await self.host.say("alive", vertex=vertex)
            await self._undo()
        else:
            self._is_marked = False
            await self.host.say("alive marks", vertex=vertex)
            await self.server.undo(self.game)

    async def done_refused(self) -> None:
        """The marks changed after we agreed to them."""
        if self.game.phase == SCORING:
            await self._score()

    def _is_ours(self, vertex: str) -> bool:
        try:
            return bool(self.course.table.position.stones[self.rules.board.point(vertex)] == self.game.colour)
        except VariantsError:
            return False

    def _one_of_each_chain(self, vertices: tuple[str, ...]) -> list[str]:
        board, stones = self.rules.board, self.course.table.position.stones
        seen: set[int] = set()
        found = []
        for vertex in vertices:
            point = board.point(vertex)
            if stones[point] and point not in seen:
                seen.update(chain(board, stones, point))
                found.append(vertex)
        return found

    async def _diverge(self, vertex: str) -> None:
        await self.host.say("divergence", vertex=vertex)
        await self._leave(self.house.config().policies.on_divergence == STOP)

    async def _leave(self, quietly: bool) -> None:
        """End a game that cannot be played on: leave it as it is, or resign."""
        if quietly and self.server.abilities.challenges:
            await self.server.adjourn(self.game)
        else:
            await self.server.resign(self.game)

    async def _end(self) -> None:
        if self.is_over:
            return
        self._cancel()
        if self.game.phase == ADJOURNED:
            await self.house.ended(self)
            return
        self.is_over = True
        self._settle()
        self._keep()
        self.log(f"{self.game.key}: over, {self.game.result or 'the server does not say how'}")
        await self.host.farewell()
        self.house.vault.drop(self.entry.key)
        await self.house.ended(self)

    def _settle(self) -> None:
        """Make our game end as the server's did, where our rules can say it."""
        table, result = self.course.table, self.game.result
        if table.is_final or not result:
            return
        how = {"R": RESIGN, "T": FLAG, "F": FORFEIT}.get(result[2:])
        winner = {"B": 1, "W": 2}.get(result[:1])
        if how is not None and winner is not None:
            table.play(3 - winner, how)
        elif table.suspended:
            if self.rules.values.get("dead") == "agreed":
                for vertex in self._one_of_each_chain(self.game.removed):
                    table.play(table.position.mover, pack(MARK_DEAD, self.rules.board.point(vertex)))
            table.play(table.position.mover, SETTLE)

    # -- what is kept --------------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Write down what must outlive us, and the record as it stands. A full disk does not stop the game."""
        try:
            if not self.is_over:
                self.house.vault.keep(self.entry)
            record = self.record()
            self.house.show(self.entry.record, record, self.is_over, self.game.result)
            self.record_path.parent.mkdir(parents=True, exist_ok=True)
            save(record, self.record_path)
        except (OSError, VariantsError) as error:
            self.log(f"the record cannot be kept: {error}")

    def record(self) -> Record:
        """The game as anybody may have it: the secret only once it is over."""
        game, has_dice = self.course.table.game, self.host.has_dice
        told = {turn for turn, _ in self.course.table.told}
        comment = f"on the server: {self.game.result}" if self.game.result else ""
        return Record(
            game,
            dice="secret" if has_dice else None,
            commitment=DiceStream(self.entry.secret).commitment if has_dice else None,
            secret=self.entry.secret if has_dice and self.is_over else None,
            told=frozenset(told),
            players=dict(self.game.players),
            comment=comment,
        )

    # -- the opponent --------------------------------------------------------------------------------------------------

    async def undo_asked(self) -> None:
        """The opponent would like a move taken back."""
        limit = self.house.config().policies.undo
        is_wanted = self._disputed is not None or self._undoing is not None
        allowed = self.entry.takebacks < limit or is_wanted
        if allowed and not is_wanted:
            self.entry = replace(self.entry, takebacks=self.entry.takebacks + 1)
            self._keep()
        if self.server.abilities.undo == ASKED:
            await self.server.let_undo(self.game, allowed)
        if not allowed:
            await self.host.say("no undo", count=limit)

    async def komi_offered(self, offer: KomiOffered) -> None:
        """Another komi is taken before the first move, if it is one we play with."""
        low, high = self.house.config().challenges.komi
        if not self.game.moves and low <= offer.komi <= high:
            await self.server.accept_komi(offer)
        else:
            await self.server.decline(offer.user)
            await self.host.say("komi", least=f"{low:g}", most=f"{high:g}")

    @property
    def may_agree(self) -> bool:
        """Whether nothing has happened yet, so that the players can agree on other options."""
        return not self.game.moves and not self.entry.unheard and self._acted is None

    async def agree(self, command: str, word: str) -> None:
        """Play with another option. Raises NotationError for what is none."""
        spec = agreed(self.entry.spec, command, word, self.game.size)
        if spec != self.entry.spec:
            self.entry = replace(self.entry, spec=spec)
            await self._start_over()
            self._keep()
            if self.game.asked:
                self._think()

    def accept_end(self) -> None:
        """The opponent wants the next two passes to end the game."""
        self.entry = replace(self.entry, accepts=True)
        self._keep()

    def speak(self, lang: str) -> None:
        """Go on in another language."""
        if lang != self.entry.lang:
            self.entry = replace(self.entry, lang=lang)
            self._keep()

    # -- leaving -------------------------------------------------------------------------------------------------------

    def _cancel(self) -> None:
        self._stop_timer()
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def close(self) -> None:
        """Let go of the game without an end: the server has it, and we shall see it again."""
        self._cancel()
        await self.thinker.close()
        self.log.close()


def records_folder(config: BridgeConfig) -> Path:
    """Where the records of all games are."""
    return config.outputs.folder / "records"


def record_name(game: ServerGame, folder: Path) -> str:
    """A name for a game's files that no record in the folder has: when it began and who plays, Black first."""
    names = [safe(game.players.get(colour, "unknown")) for colour in (1, 2)]
    name = base = f"{datetime.now():%Y%m%d-%H%M%S}-{'-'.join(names)}"
    number = 1
    while (folder / f"{name}.sgf").exists():
        number += 1
        name = f"{base}-{number}"
    return name
