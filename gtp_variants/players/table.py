"""The table of one game, which every host drives: dice, players, passing over, suspension and undo."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gtp_variants.errors import GameOver, IllegalMove, VariantsError
from gtp_variants.players.clock import NO_LIMIT, Clock
from gtp_variants.players.dice_draws import Draws, DrawsMark, ToldDraws
from gtp_variants.players.player import Player, Viewers, news_of
from gtp_variants.rules import actions
from gtp_variants.rules.actions import Event, pack, unpack
from gtp_variants.rules.boards.chains import chains
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.game import Dice, Game, Mark
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import View

# Actions that a player may also take out of turn.
_ON_ANY_TURN = (*actions.LEAVING, *actions.TERMS, actions.MARK_DEAD, actions.SET_DICE, actions.SETTLE)

TableMark = tuple[Mark, DrawsMark]


class Table:
    """One game in progress. `dice` makes its dice when the first throw is due.

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
        self, rules: Rules, dice: Callable[[], Dice], setup: Mapping[int, int] | None = None, first: int | None = None
    ) -> None:
        self._lay(Game(rules, setup, first), dice, {})

    @classmethod
    def of(cls, game: Game, dice: Callable[[], Dice], told: ToldDraws) -> "Table":
        """Return a table that continues a game begun elsewhere. `told` contains the throws given by the host."""
        table = cls.__new__(cls)
        table._lay(game, dice, told)
        return table

    def _lay(self, game: Game, dice: Callable[[], Dice], told: ToldDraws) -> None:
        self.game = game
        self._make_dice = dice
        self.draws = Draws(game, dice, told)
        self.clocks: dict[int, Clock] = {}
        self.seats: dict[int, Player] = {}
        # The colours that have agreed to end the game after passes suspended it.
        self.agreed: set[int] = set()
        # Set by a host. It returns the points that the players call dead, or None if a search is to judge.
        self.ask_for_dead: Callable[[], Collection[int] | None] = lambda: None
        # The number of events that each player has heard.
        self._heard: dict[int, int] = {}
        self._viewers = Viewers()
        self.draws.throw()

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def position(self) -> Position:
        """The present position, with all dice thrown."""
        return self.game.position

    @property
    def suspended(self) -> bool:
        """True if the game has ended by passes but can still be resumed."""
        return self.rules.is_suspended(self.position)

    @property
    def is_final(self) -> bool:
        """True if the game is over for good."""
        return self.rules.is_final(self.position)

    def change_rules(self, rules: Rules) -> None:
        """Replay what happened under other rules, with the same dice. All players leave their seats."""
        self.game = Game.replay(rules, self.game.events, self.game.setup, self.game.first)
        self.draws = Draws(self.game, self._make_dice, self.draws.told)
        self._viewers = Viewers()
        self._reseat()
        self.draws.throw()

    def play(self, actor: int, action: int) -> Event:
        """Play an action, passing over the side to move if allowed. If this raises IllegalMove, nothing has changed."""
        return self._play(actor, action, self.game.play)

    def _play(self, actor: int, action: int, carry_out: Callable[[int, int], Event]) -> Event:
        mark = len(self.game.events)
        try:
            self._pass_over(actor, action)
            event = carry_out(actor, action)
        except VariantsError:
            self.game.cut(mark)
            raise
        # A refused try changes nothing, not even who agrees to the end.
        if not self.game.is_refused(len(self.game.events) - 1):
            self.agreed.clear()
        self.draws.throw()
        self._tell()
        if action == actions.PASS:
            judge_dead(self)
            self._tell()
        return event

    def _pass_over(self, actor: int, action: int = actions.PASS) -> None:
        """Give `actor` the turn if the action needs it. Raises IllegalMove if the game is over."""
        if actor == self.position.mover or unpack(action)[0] in _ON_ANY_TURN:
            return
        if self.is_final:
            raise illegal("game over", self.rules.lang)
        self.game.play(actor, actions.TURN)
        self.draws.throw()

    def play_for_host(self, actor: int, action: int) -> Event:
        """Play an action that a host has played already: with another throw if needed, in Go as `Game.take_in` does."""
        try:
            return self._play(actor, action, self.game.take_in)
        except IllegalMove as error:
            if error.reason != "line":
                raise
        with self.all_or_nothing():
            self._pass_over(actor)
            if self.draws.imply(actor, action):
                self._reseat()
            return self.play(actor, action)

    def tell_draw(self, colour: int, faces: Sequence[int]) -> None:
        """Set a colour's next throw for the host. Empty `faces` mean no line. If this raises, nothing has changed."""
        with self.all_or_nothing():
            if self.draws.tell(colour, faces):
                self._reseat()

    def undo(self) -> Event:
        """Take back the last turn, its refused tries and all that followed it. Raises GameOver if there is no turn."""
        game = self.game
        index = next((i for i in reversed(range(len(game.events))) if is_undoable(game, i)), None)
        if index is None:
            raise GameOver("cannot undo")
        event, first, before = game.events[index], index, index
        while before > 0 and (
            game.events[before - 1].actor == actions.CHANCE
            or game.events[before - 1].action == actions.TURN
            or game.is_refused(before - 1)
        ):
            before -= 1
            if game.events[before].actor != actions.CHANCE or game.events[before].action == actions.TOLERATE:
                first = before
        self.cut(first)
        return event

    def cut(self, count: int) -> None:
        """Take back everything after the first `count` events, and throw any dice that are then due."""
        self.game.cut(count)
        self.draws.forget_implications()
        self.agreed.clear()
        self.draws.throw()
        self._reseat()

    def mark(self) -> TableMark:
        """Return the state of the game, for `go_back`."""
        return self.game.mark(), self.draws.mark()

    def go_back(self, mark: TableMark) -> None:
        """Restore the state that `mark` returned."""
        self.game.go_back(mark[0])
        self.draws.go_back(mark[1])
        self.agreed.clear()
        self._reseat()

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Restore the present state if the context raises an exception."""
        mark = self.mark()
        try:
            yield
        except Exception:
            self.go_back(mark)
            raise

    def seat(self, colour: int, player: Player, seed: str) -> None:
        """Seat a player, who gets a copy of the rules and hears what has happened so far."""
        player.sit(self._viewers.rules_of(self.game, colour), colour, seed)
        self.seats[colour] = player
        self._heard[colour] = len(self.game.events)
        for news in self.game.heard(colour):
            player.hear(news)

    def _reseat(self) -> None:
        """Remove the players, because their news no longer matches the game."""
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
        """Return the present view of a colour's seat."""
        return self._viewers.view(self.game, colour)

    @contextmanager
    def passing_over(self, colour: int) -> Iterator[Position]:
        """Yield the position with this colour to move, then undo that. Raises IllegalMove if it may not move."""
        mark = len(self.game.events)
        self._pass_over(colour)
        try:
            yield self.position
        finally:
            self.game.cut(mark)

    def asked(self) -> int | None:
        """Return the colour that must act, or None if the game is over. A suspended game asks each side in turn."""
        if self.is_final:
            return None
        if not self.suspended:
            return int(self.position.to_play)
        order = [self.position.mover, *others(self.rules.colours, self.position.mover)]
        return next((colour for colour in order if colour not in self.agreed), None)

    def choose(self, colour: int) -> int:
        """Let the colour's player choose an action, and return it."""
        return self.seats[colour].choose(view_to_move(self, colour), self.clocks.get(colour, NO_LIMIT))

    def answer(self, colour: int, action: int) -> Event:
        """Play an action for the player who must act. In a suspended game a pass agrees to the end."""
        if self.suspended and action == actions.PASS:
            self.agreed.add(colour)
            if self.asked() is not None:
                return Event(colour, actions.PASS)
            return self.play(colour, actions.SETTLE)
        return self.play(colour, action)

    def step(self) -> Event:
        """Let the player to act choose and play. Raises GameOver if nobody must act, IllegalMove for a bad choice."""
        colour = self.asked()
        if colour is None:
            raise GameOver("the game is over")
        return self.answer(colour, self.choose(colour))

    def close(self, outcome: Outcome | None) -> None:
        """Let all players leave the table."""
        for player in self.seats.values():
            player.leave(outcome)
        self._reseat()


def position_to_move(table: Table, colour: int) -> Position:
    """Return the position with this colour to move. Raises IllegalMove if it may not move."""
    with table.passing_over(colour) as position:
        return position


def view_to_move(table: Table, colour: int) -> View:
    """Return the view of a colour's player with that colour to move. Raises IllegalMove if it may not move."""
    with table.passing_over(colour):
        return table.view(colour)


def check(table: Table, colour: int, action: int) -> None:
    """Raise IllegalMove if a player may not play this action now. In either case change nothing."""
    if unpack(action)[0] in _ON_ANY_TURN:
        table.rules.play(table.position, action, colour)
        return
    with table.passing_over(colour) as position:
        table.rules.play(position, action, colour)


def legal_actions(table: Table, colour: int) -> Sequence[int]:
    """Return the actions that would be legal for a colour if it were to move, or () if it may not move."""
    return _from_seat(table, colour, table.rules.legal)


def possible_tries(table: Table, colour: int) -> Sequence[int]:
    """Return the actions that a colour, as far as it knows, could try if it were to move, or () if it may not move."""
    return _from_seat(table, colour, table.rules.actions)


def _from_seat(table: Table, colour: int, ask: Callable[[Position], Sequence[int]]) -> Sequence[int]:
    try:
        with table.passing_over(colour) as position:
            return ask(position)
    except IllegalMove:
        return ()


def is_undoable(game: Game, index: int) -> bool:
    """Return True if `Table.undo` can take back event number `index`: a turn, resignation, loss on time or forfeit."""
    return game.is_turn(index) or game.events[index].action in actions.LEAVING


def list_departures(table: Table) -> Sequence[Event]:
    """Return the events by which players left a game that others still play, or () once the game is over."""
    return () if table.is_final else table.position.out


def set_dice(table: Table, count: int, sides: int) -> None:
    """Change the dice by agreement, and throw them again for the side to move."""
    table.play(table.position.mover, pack(actions.SET_DICE, DiceKind(count, sides).code))


def judge_dead(table: Table) -> None:
    """After the final passes, record the chains that the players or a search call dead, if the rules require it."""
    position, rules = table.position, table.rules
    if not rules.judges_dead or not rules.is_over(position) or position.dead or (rules.reopens and table.is_final):
        return
    from gtp_variants.ai.mcts.final_status import find_dead_chains

    called = table.ask_for_dead()
    if called is None:
        called = {points[0] for points in find_dead_chains(rules, position)}
    for action in change_dead(table, called):
        table.game.play(position.mover, action)


def change_dead(table: Table, called: Collection[int]) -> tuple[int, ...]:
    """Return the actions after which exactly the chains on the `called` points are dead."""
    stones, dead = table.position.stones, table.position.dead
    members = [each for each in chains(table.rules.board, stones) if (each[0] in dead) == set(called).isdisjoint(each)]
    return tuple(pack(actions.MARK_DEAD, each[0]) for each in members)
