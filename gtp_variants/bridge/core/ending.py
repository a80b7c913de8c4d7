"""The end of a game: the meaning of two passes, dead stones, and the server's result in our game."""

from collections.abc import Awaitable, Callable, Sequence

from gtp_variants.bridge.core import policies
from gtp_variants.bridge.core.base_game import FollowedGame
from gtp_variants.bridge.core.game_sync import RESUMED, Step
from gtp_variants.bridge.core.server import ASKED, AT_ONCE, SCORING
from gtp_variants.bridge.core.takebacks import AskedUndo
from gtp_variants.errors import PeerError, VariantsError
from gtp_variants.players.table import Table
from gtp_variants.rules.actions import CHANCE, FLAG, FORFEIT, MARK_DEAD, PASS, RESIGN, SETTLE, pack
from gtp_variants.rules.boards.chains import chain
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position

# How an SGF says that nobody knows a result.
UNKNOWN = "?"
# How many times scoring is left to play on because of stones that are not dead.
_PLAYED_OUT_AT_MOST = 2


class DoublePass:
    """Two passes in a row: they end the game, are taken back, or stay between the players."""

    def __init__(self, game: FollowedGame, undo: AskedUndo, score: Callable[[], Awaitable[None]]) -> None:
        """`score` lets the game be scored as it stands."""
        self._game, self._undo, self._score = game, undo, score
        # The moves whose last two passes stand because the opponent did not let them go.
        self._ended_at: object = None

    @property
    def has_ended(self) -> bool:
        """True if the passes stand: there is no going back."""
        return self._ended_at == self._game.state.moves

    def reset(self) -> None:
        """Take in that moves came or went: passes that went after all may come again."""
        self._ended_at = None

    async def take_in(self) -> None:
        """Both passed. Either that is the end, or the game goes on."""
        game = self._game
        positions = positions_of_passes(game.replay.table.game)
        kind = policies.END
        may_go_back = not game.stored.accepts and not self.has_ended
        if positions is not None and game.state.moves[-1][0] != game.state.colour and may_go_back:
            double_pass = game.context.config().policies.double_pass
            kind = policies.their_second_pass(double_pass, game.rules, *positions)
        if kind == policies.END or not game.server.abilities.resumes:
            await self._score()
        else:
            await self._go_back(kind)

    async def _go_back(self, kind: str) -> None:
        """The opponent's second pass is taken back on the server; where they have no point it stands between us.

        Where passes stay, play goes on after them, and it is our turn.
        """
        game = self._game
        if game.server.abilities.passes_stay:
            await game.chat.say("bridge.resumes")
            await self.take_back()
        elif kind == policies.AGAIN:
            me = game.state.colour
            mine, theirs, resumed = Step(me, "pass"), Step(3 - me, "pass"), Step(me, RESUMED)
            await game.chat.say("bridge.again_you")
            # Where the opponent lets it go, ours may go with it.
            await self.take_back({1: (theirs, resumed, mine), 2: (mine, theirs, resumed)})
        else:
            positions = positions_of_passes(game.replay.table.game)
            assert positions is not None
            await game.chat.say("bridge.second_plays", open=game.chat.open_points(positions[1]))
            await self.take_back()

    async def pass_second(self) -> bool:
        """Our pass would be the second: return False if that is the end, else let it stay between us."""
        game = self._game
        double_pass = game.context.config().policies.double_pass
        kind = policies.END if game.stored.accepts else policies.own_second_pass(double_pass, game.replay.table)
        if kind == policies.END or not game.server.abilities.chat:
            return False
        me, other = game.state.colour, 3 - game.state.colour
        count = len(game.state.moves)
        mine, theirs, resumed = Step(me, "pass"), Step(other, "pass"), Step(other, RESUMED)
        if kind == policies.AGAIN or game.server.abilities.undo != AT_ONCE:
            game.stored = game.stored.with_private_steps(count, [mine, resumed, theirs])
            game.save()
            await game.chat.say("bridge.again_me")
            await game.update(game.state)
            return True
        game.stored = game.stored.cut_to(count - 1).with_private_steps(count - 1, [theirs, mine, resumed])
        game.save()
        await game.chat.say("bridge.hand_back")
        await self.take_back()
        return True

    async def take_back(self, steps_instead: dict[int, tuple[Step, ...]] | None = None) -> None:
        """Ask for the last move to go; until it has gone, or is not let go, the game stands still."""
        game = self._game
        self._undo.stand_still(steps_instead)
        if game.server.abilities.undo == ASKED and not game.server.abilities.passes_stay:
            await game.chat.say("bridge.please_undo")
        await self._undo.ask(self._let_stand)

    async def _let_stand(self) -> None:
        """The opponent does not let the last move go: the game ends as it stands."""
        self._undo.end(0)
        self._ended_at = self._game.state.moves
        if self._game.state.phase == SCORING:
            await self._score()


class DeadStones:
    """The agreement on dead stones: what the engine calls dead is marked once, and what is marked is agreed to.

    Where our rules count what stands, as in all games but Go, nothing is marked.
    """

    def __init__(self, game: FollowedGame, passes: DoublePass) -> None:
        self._game, self._passes = game, passes
        self._is_marked = False
        # How many times the game was gone back to because of stones that are not dead.
        self._played_out = 0

    def reset(self) -> None:
        """Take in that play goes on: stones are to be marked again."""
        self._is_marked = False

    async def agree(self) -> None:
        """Mark what is dead, and agree to what is marked. Raises PeerGone."""
        game = self._game
        if not game.server.abilities.marks:
            return
        dead = await self._find_dead()
        table, state = game.replay.table, game.state
        # A chain is marked by any of its stones.
        dead_stones = stones_of_chains(table, dead)
        alive = [each for each in stones_of(table, state.colour, state.removed) if each not in dead_stones]
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
        """A vertex of each chain that the engine calls dead; () where it is not asked, or does not say."""
        game, rules = self._game, self._game.rules
        counts_dead = not rules.profile.is_go and not rules.agrees_on_dead and not rules.judges_dead
        if game.context.config().policies.dead and not counts_dead:
            try:
                return await game.turn.player.dead(game.steps())
            except PeerError as error:
                game.log(f"the engine does not say what is dead: {error}")
        return ()

    async def _go_back_to_life(self, vertex: str) -> None:
        """A stone of ours was called dead that is not: it is played out, or at least the marks are cleared."""
        game = self._game
        if game.server.abilities.resumes:
            await game.chat.say("bridge.alive", vertex=vertex)
            await self._passes.take_back()
        else:
            self._is_marked = False
            await game.chat.say("bridge.alive_marks", vertex=vertex)
            await game.server.undo(game.state)


def positions_of_passes(game: Game) -> tuple[Position, Position] | None:
    """The positions in which the last two passes were made, None if it were not passes."""
    passes = [
        game.positions[i] for i, event in enumerate(game.events) if event.action == PASS and event.actor != CHANCE
    ]
    if len(passes) < 2 or game.position.passes < 2:
        return None
    return passes[-2], passes[-1]


def stones_of(table: Table, colour: int, vertices: Sequence[str]) -> list[str]:
    """The vertices, of those given, with a stone of a colour."""
    return [vertex for vertex in vertices if _is_of(table, colour, vertex)]


def _is_of(table: Table, colour: int, vertex: str) -> bool:
    try:
        point = table.rules.board.point(vertex)
    except VariantsError:
        return False
    return bool(table.position.stones[point] == colour)


def stones_of_chains(table: Table, vertices: Sequence[str]) -> frozenset[str]:
    """All stones of the chains that some of the vertices are on."""
    board, stones = table.rules.board, table.position.stones
    points = {each for point in map(board.point, vertices) if stones[point] for each in chain(board, stones, point)}
    return frozenset(map(board.vertex, points))


def one_of_each_chain(table: Table, vertices: Sequence[str]) -> list[str]:
    """The first vertex of each chain that some of the vertices are on."""
    board, stones = table.rules.board, table.position.stones
    seen: set[int] = set()
    found = []
    for vertex in vertices:
        point = board.point(vertex)
        if stones[point] and point not in seen:
            seen.update(chain(board, stones, point))
            found.append(vertex)
    return found


def settle(table: Table, result: str, removed: Sequence[str]) -> None:
    """End our game as the server did, where our rules can say it.

    `result` is the server's, as in SGF; on `removed` lie the stones that it counted as dead.
    """
    if table.is_final or not result:
        return
    how = {"R": RESIGN, "T": FLAG, "F": FORFEIT}.get(result[2:])
    winner = {"B": 1, "W": 2}.get(result[:1])
    if how is not None and winner is not None:
        table.play(3 - winner, how)
    elif table.suspended:
        if table.rules.agrees_on_dead:
            for vertex in one_of_each_chain(table, removed):
                table.play(table.position.mover, pack(MARK_DEAD, table.rules.board.point(vertex)))
        table.play(table.position.mover, SETTLE)


def stated_result(game: Game, result: str) -> str:
    """Return the result for a record: by our rules if they see the end, else the server's."""
    outcome = game.outcome
    return outcome.sgf if outcome is not None else result or UNKNOWN
