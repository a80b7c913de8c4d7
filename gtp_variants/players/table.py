"""The table: one game being played, with its dice, its clocks and its players. Every host of a game drives one.

Drawing, refusing, announcing, passing over, suspending and taking back are written here and nowhere else. A table at
rest has no dice to throw: they fall as soon as they are due.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gtp_variants.errors import GameOver, IllegalMove, VariantsError
from gtp_variants.players.clock import NO_LIMIT, Clock
from gtp_variants.players.dice_draws import Draws, DrawsMark, ToldDraws
from gtp_variants.players.player import Player, Viewers, news_of
from gtp_variants.rules.actions import (
    CHANCE,
    LEAVING,
    MARK_DEAD,
    PASS,
    SET_DICE,
    SETTLE,
    TOLERATE,
    TURN,
    Event,
    pack,
    unpack,
)
from gtp_variants.rules.game import Dice, Game, Mark
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View

# Actions that anybody may take on whoever's turn.
_ON_ANY_TURN = (*LEAVING, MARK_DEAD, SET_DICE, SETTLE)

TableMark = tuple[Mark, DrawsMark]


class Table:
    """One game being played; `dice` makes its dice when the first throw is due.

    >>> import gtp_variants as gv
    >>> table = gv.Table(gv.parse("aleago:size=9"), lambda: gv.DiceStream("secret"))
    >>> for colour in table.rules.colours:
    ...     table.seat(colour, gv.load_bot("greedy"), seed="1")
    >>> while table.asked() is not None:
    ...     _ = table.step()
    >>> table.game.outcome.sentence()
    'White wins by 88.5 points'
    """

    def __init__(
        self,
        rules: Rules,
        dice: Callable[[], Dice],
        setup: Mapping[int, int] | None = None,
        first: int | None = None,
    ) -> None:
        self._lay(Game(rules, setup, first), dice, {})

    @classmethod
    def of(cls, game: Game, dice: Callable[[], Dice], told: ToldDraws) -> "Table":
        """A table at which a game goes on that was begun elsewhere; `told` are draws that a host told."""
        table = cls.__new__(cls)
        table._lay(game, dice, told)
        return table

    def _lay(self, game: Game, dice: Callable[[], Dice], told: ToldDraws) -> None:
        self.game = game
        self.draws = Draws(game, dice, told)
        self.clocks: dict[int, Clock] = {}
        self.seats: dict[int, Player] = {}
        # Who agrees to the end after passes that suspended the game.
        self.agreed: set[int] = set()
        # How many events each player was told of.
        self._heard: dict[int, int] = {}
        self._viewers = Viewers()
        self.draws.throw()

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def position(self) -> Position:
        """The position now, all dice thrown."""
        return self.game.position

    @property
    def suspended(self) -> bool:
        """Whether the game is over only as long as nobody objects."""
        return self.rules.is_suspended(self.position)

    @property
    def is_final(self) -> bool:
        """Whether the game is over for good."""
        return self.rules.is_final(self.position)

    # -- what happens --------------------------------------------------------------------------------------------------

    def play(self, actor: int, action: int) -> Event:
        """Carry out a player's action; a side that is not to move is passed over first, where the rules allow it.

        Raises IllegalMove, and then nothing has changed.
        """
        return self._play(actor, action, self.game.play)

    def _play(self, actor: int, action: int, carry_out: Callable[[int, int], Event]) -> Event:
        mark = len(self.game.events)
        try:
            self._pass_over(actor, action)
            event = carry_out(actor, action)
        except VariantsError:
            self.game.cut(mark)
            raise
        # A refused try changes nothing, also not that others agree to the end.
        if not self.game.is_refused(len(self.game.events) - 1):
            self.agreed.clear()
        if action == PASS:
            judge_dead(self)
        self.draws.throw()
        self._tell()
        return event

    def _pass_over(self, actor: int, action: int = PASS) -> None:
        """Let it be a side's turn if it is another's, as far as that matters for the action."""
        if actor == self.position.mover or unpack(action)[0] in _ON_ANY_TURN:
            return
        if self.is_final:
            raise illegal("game over", self.rules.lang)
        self.game.play(actor, TURN)
        self.draws.throw()

    def play_for_host(self, actor: int, action: int) -> Event:
        """Like `play`, but the host is right about the past.

        A stone off the open lines is its word for the draw: one that opens its line. In Go a stone that repeats a board
        and the suicide of several stones are taken in.
        """
        try:
            return self._play(actor, action, self.game.take_in)
        except IllegalMove as error:
            if error.reason != "line":
                raise
        mark = self.mark()
        try:
            self._pass_over(actor)
            if self.draws.imply(actor, action):
                self._reseat()
            return self.play(actor, action)
        except VariantsError:
            self.go_back(mark)
            raise

    def tell_draw(self, colour: int, faces: Sequence[int]) -> None:
        """Take the host's word for the draw of a colour's next turn; no faces mean that no line binds it.

        Raises NotationError if that colour's draw is not the next (with the crystal ball: one of the next two) or the
        dice cannot fall so, and then nothing has changed. The last telling counts.
        """
        mark = self.mark()
        try:
            if self.draws.tell(colour, faces):
                self._reseat()
        except VariantsError:
            self.go_back(mark)
            raise

    # -- taking back ---------------------------------------------------------------------------------------------------

    def undo(self) -> Event:
        """Take back the last stone, pass, swap or departure, all that followed it, and the refused tries of that turn.

        The same dice come again. Raises GameOver if there is nothing to take back.
        """
        game = self.game
        index = next((i for i in reversed(range(len(game.events))) if is_undoable(game, i)), None)
        if index is None:
            raise GameOver("cannot undo")
        event, first, before = game.events[index], index, index
        while before > 0 and (
            game.events[before - 1].actor == CHANCE
            or game.events[before - 1].action == TURN
            or game.is_refused(before - 1)
        ):
            before -= 1
            if game.events[before].actor != CHANCE or game.events[before].action == TOLERATE:
                first = before
        self.cut(first)
        return event

    def cut(self, count: int) -> None:
        """Take back everything after the first `count` events; dice that are due then fall again."""
        self.game.cut(count)
        self.draws.forget_implications()
        self.agreed.clear()
        self.draws.throw()
        self._reseat()

    def mark(self) -> TableMark:
        """The game as it is now, for `go_back`."""
        return self.game.mark(), self.draws.mark()

    def go_back(self, mark: TableMark) -> None:
        """Make the game what it was when the mark was set, as if nothing else had been tried."""
        self.game.go_back(mark[0])
        self.draws.go_back(mark[1])
        self.agreed.clear()
        self._reseat()

    # -- seats ---------------------------------------------------------------------------------------------------------

    def seat(self, colour: int, player: Player, seed: str) -> None:
        """Give a colour to a player, who gets rules of their own and is told what happened so far."""
        player.sit(self._viewers.rules_of(self.game, colour), colour, seed)
        self.seats[colour] = player
        self._heard[colour] = len(self.game.events)
        for news in self.game.heard(colour):
            player.hear(news)

    def _reseat(self) -> None:
        """Forget the players: what they heard is no longer what happened."""
        self.seats.clear()
        self._heard.clear()

    def _tell(self) -> None:
        for colour, player in self.seats.items():
            for index in range(self._heard[colour], len(self.game.events)):
                news = news_of(self.game, index, colour)
                if news is not None:
                    player.hear(news)
            self._heard[colour] = len(self.game.events)

    def view(self, colour: int) -> View:
        """What the seat of a colour knows now."""
        return self._viewers.view(self.game, colour)

    @contextmanager
    def passing_over(self, colour: int) -> Iterator[Position]:
        """The position in which a colour is to move, the other side passed over as long as the context lasts.

        Raises IllegalMove if it may not be.
        """
        mark = len(self.game.events)
        self._pass_over(colour)
        try:
            yield self.position
        finally:
            self.game.cut(mark)

    def asked(self) -> int | None:
        """Who is to act: the side to move, after passes that suspend the game each side in turn; None if it is over."""
        if self.is_final:
            return None
        if not self.suspended:
            return int(self.position.to_play)
        order = [self.position.mover, *others(self.rules.colours, self.position.mover)]
        return next((colour for colour in order if colour not in self.agreed), None)

    def choose(self, colour: int) -> int:
        """The action that the player of a colour chooses now."""
        return self.seats[colour].choose(view_to_move(self, colour), self.clocks.get(colour, NO_LIMIT))

    def answer(self, colour: int, action: int) -> Event:
        """Carry out what the player who was asked chose."""
        if self.suspended and action == PASS:
            self.agreed.add(colour)
            if self.asked() is not None:
                return Event(colour, PASS)
            return self.play(colour, SETTLE)
        return self.play(colour, action)

    def step(self) -> Event:
        """Let the player who is to act do so. Raises GameOver when nobody is, IllegalMove for what is not allowed.

        After passes that suspend the game a stone objects and a pass agrees; when all have agreed the end is final.
        """
        colour = self.asked()
        if colour is None:
            raise GameOver("the game is over")
        return self.answer(colour, self.choose(colour))

    def close(self, outcome: Outcome | None) -> None:
        """The players leave."""
        for player in self.seats.values():
            player.leave(outcome)
        self._reseat()


# -- what a side may do, and what it sees then -------------------------------------------------------------------------


def position_to_move(table: Table, colour: int) -> Position:
    """The position in which a colour is to move, the other side passed over if need be. Raises IllegalMove."""
    with table.passing_over(colour) as position:
        return position


def view_to_move(table: Table, colour: int) -> View:
    """What the player of a colour is shown when asked to act now, the other side passed over if need be."""
    with table.passing_over(colour):
        return table.view(colour)


def check(table: Table, colour: int, action: int) -> None:
    """Check that a player may do something now; nothing changes. Raises IllegalMove."""
    if unpack(action)[0] in _ON_ANY_TURN:
        table.rules.play(table.position, action, colour)
        return
    with table.passing_over(colour) as position:
        table.rules.play(position, action, colour)


def legal_actions(table: Table, colour: int) -> Sequence[int]:
    """What a colour may play now, the other side passed over if need be; () where it may not."""
    return _from_seat(table, colour, table.rules.legal)


def possible_tries(table: Table, colour: int) -> Sequence[int]:
    """What a colour might try if it were to move, as far as it may know itself."""
    return _from_seat(table, colour, table.rules.actions)


def _from_seat(table: Table, colour: int, ask: Callable[[Position], Sequence[int]]) -> Sequence[int]:
    try:
        with table.passing_over(colour) as position:
            return ask(position)
    except IllegalMove:
        return ()


def is_undoable(game: Game, index: int) -> bool:
    """Whether event number `index` is one that `Table.undo` takes back: a stone, pass, swap or departure."""
    return game.is_turn(index) or game.events[index].action in LEAVING


def list_departures(table: Table) -> Sequence[Event]:
    """How players left a game that others play on; none once it is over."""
    return () if table.is_final else table.position.out


def set_dice(table: Table, count: int, sides: int) -> None:
    """Change the dice by agreement; the draw of the side to move is thrown anew."""
    from gtp_variants.rules.dice import DiceKind

    table.play(table.position.mover, pack(SET_DICE, DiceKind(count, sides).code))


def judge_dead(table: Table) -> None:
    """After passes that end a game in which searches say which chains are dead: note it as events of the game."""
    position, rules = table.position, table.rules
    if not rules.judges_dead or not rules.is_over(position) or position.dead or (rules.reopens and table.is_final):
        return
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    for points in find_dead_chains(rules, position):
        table.game.play(position.mover, pack(MARK_DEAD, points[0]))
