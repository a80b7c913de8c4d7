"""The table: a game, its dice, its players and what each of them is told. Every host of a game drives one.

Drawing, refusing, announcing, passing over, suspending and taking back are written here and nowhere else. A table at
rest has no dice to throw: they fall as soon as they are due.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gtp_variants.errors import GameOver, IllegalMove, NotationError, VariantsError
from gtp_variants.players.clock import NO_LIMIT, Clock
from gtp_variants.players.player import Player
from gtp_variants.rules import words
from gtp_variants.rules.actions import CHANCE, LEAVING, MARK_DEAD, PASS, SET_DICE, SETTLE, TURN, Event, pack, unpack
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.game import Game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Dice, Rules
from gtp_variants.rules.views import News, View, Watch

# Actions that anybody may take on whoever's turn.
_ON_ANY_TURN = (*LEAVING, MARK_DEAD, SET_DICE, SETTLE)

Told = dict[tuple[int, int], tuple[int, ...]]
Implied = dict[tuple[int, int], tuple[int, ...] | None]
Mark = tuple[Any, Told, Implied]


class Table:
    """One game being played.

    `dice` makes the dice when the first throw is due, so that a game without dice never loads them. `told` are draws
    that a host told instead: turn number and how often the dice had been changed in that turn -> faces, () for a turn
    without a line.
    """

    def __init__(
        self,
        rules: Rules,
        dice: Callable[[], Dice],
        setup: Mapping[int, int] | None = None,
        first: int | None = None,
    ) -> None:
        self.game = Game(rules, setup, first)
        self.told: Told = {}
        # The told draws that no host told in words: a stone off the line implied them, and they go when it goes. With
        # each what the host had told before, if anything.
        self._implied: Implied = {}
        self.clocks: dict[int, Clock] = {}
        self.seats: dict[int, Player] = {}
        self._make_dice = dice
        self._dice: Dice | None = None
        self._heard: dict[int, int] = {}
        # A seat that listens for each colour, how many events it was told of, and the last of them.
        self._watches: dict[int, tuple[Watch, int, Event | None]] = {}
        self._agreed: set[int] = set()
        self._throw()

    @classmethod
    def of(cls, game: Game, dice: Callable[[], Dice], told: "Told") -> "Table":
        """A table at which a game goes on that was begun elsewhere."""
        table = cls(game.rules, dice, game.setup, game.first)
        table.game = game
        table.told = dict(told)
        table._throw()
        return table

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def position(self) -> Any:
        """The position now, all dice thrown."""
        return self.game.position

    @property
    def dice(self) -> Dice:
        """The dice of this game."""
        if self._dice is None:
            self._dice = self._make_dice()
        return self._dice

    @property
    def suspended(self) -> bool:
        """Whether the game is over only as long as nobody objects."""
        return self.rules.suspended(self.position)

    @property
    def is_final(self) -> bool:
        """Whether the game is over for good."""
        return self.rules.is_final(self.position)

    # -- what happens --------------------------------------------------------------------------------------------------

    def play(self, actor: int, action: int) -> Event:
        """Carry out a player's action; a side that is not to move is passed over first, where the rules allow it.

        Raises IllegalMove, and then nothing has changed.
        """
        mark = len(self.game.events)
        try:
            if actor != self.position.mover and unpack(action)[0] not in _ON_ANY_TURN:
                self._pass_over(actor)
            event = self.game.play(actor, action)
        except VariantsError:
            self.game.cut(mark)
            raise
        # A refused try changes nothing, also not that others agree to the end.
        if not self.game.is_refused(len(self.game.events) - 1):
            self._agreed.clear()
        self._throw()
        self._tell()
        return event

    def _pass_over(self, actor: int) -> None:
        if self.is_final:
            raise self.rules.illegal("game over")
        self.game.play(actor, TURN)
        self._throw()

    def play_as_told(self, actor: int, action: int) -> Event:
        """Like `play`, but a stone off the open lines is a host's word for the draw: one that opens its line."""
        try:
            return self.play(actor, action)
        except IllegalMove as error:
            if error.reason != "line":
                raise
        mark = self.mark()
        try:
            if actor != self.position.mover:
                self._pass_over(actor)
            rules = self._diced()
            draw = rules.opening_draw(self.position, action)
            key = self.position.turn, rules.cast(self.position, 0)
            told = self.told.get(key)
            self.tell_draw(actor, rules.faces(self.position, draw))
            self._implied[key] = told
            return self.play(actor, action)
        except VariantsError:
            self.go_back(mark)
            raise

    def undo(self) -> Event:
        """Take back the last stone, pass, swap or departure, all that followed it, and the refused tries of that turn.

        The same dice come again. Raises GameOver if there is nothing to take back.
        """
        game = self.game
        index = next((i for i in reversed(range(len(game.events))) if self.is_counted(i)), None)
        if index is None:
            raise GameOver("cannot undo")
        event, cut, before = game.events[index], index, index
        while before > 0 and (
            game.events[before - 1].actor == CHANCE
            or game.events[before - 1].action == TURN
            or game.is_refused(before - 1)
        ):
            before -= 1
            if game.events[before].actor != CHANCE:
                cut = before
        game.cut(cut)
        self._forget_implied()
        self._agreed.clear()
        self._throw()
        self._reseat()
        return event

    def is_counted(self, index: int) -> bool:
        """Whether event number `index` is one that `undo` takes back: a stone, pass, swap or departure."""
        return self.game.is_turn(index) or self.game.events[index].action in LEAVING

    def mark(self) -> "Mark":
        """The game as it is now, for `go_back`."""
        return self.game.mark(), dict(self.told), dict(self._implied)

    def go_back(self, mark: "Mark") -> None:
        """Make the game what it was when the mark was set, as if nothing else had been tried."""
        state, self.told, self._implied = mark
        self.game.go_back(state)
        self._agreed.clear()
        self._reseat()

    # -- dice ----------------------------------------------------------------------------------------------------------

    def _throw(self) -> None:
        while self.position.to_play == CHANCE:
            try:
                draw = self._drawn()
            except NotationError:
                # It was told for dice that have been changed since.
                self.told.pop(self._due(), None)
                draw = self._drawn()
            self.game.play(CHANCE, draw)

    def _due(self) -> tuple[int, int]:
        """Turn and cast of the throw that is due."""
        return self._diced().throw_due(self.position)

    def _drawn(self) -> int:
        """The action of the throw that is due: told by the host, or thrown. Raises NotationError for a told one that
        these dice cannot show."""
        faces = self.told.get(self._due())
        if faces is None:
            return self.dice.draw(self.game)
        rules = self._diced()
        dice = rules.dice_of(self.position)
        return dice.outcome(faces) if faces else rules.free(dice)

    def _diced(self) -> DicedRules:
        """The rules, where dice are to be thrown. Raises NotationError in a game without dice."""
        if not isinstance(self.rules, DicedRules):
            raise NotationError(f"not a game with dice: {self.rules.name}")
        return self.rules

    def tell_draw(self, colour: int, faces: Sequence[int]) -> None:
        """Take the host's word for the draw of a colour's next turn; no faces mean that no line binds it.

        Raises NotationError if that colour's draw is not the next (with the crystal ball: one of the next two) or the
        dice cannot fall so, and then nothing has changed. The last telling counts.
        """
        position, rules = self.position, self._diced()
        slot = 0 if colour == position.mover else 1
        if slot >= rules.slots:
            raise NotationError(f"the next draw is that of {words.name(position.mover, rules.lang)}")
        if colour == rules.free_player:
            if faces:
                raise NotationError(f"{words.name(colour, rules.lang)} plays without dice")
            return
        draw = position.turn + slot, rules.cast(position, slot)
        mark = self.mark()
        self.told[draw] = tuple(faces)
        self._implied.pop(draw, None)
        try:
            self._draw_again(draw)
        except VariantsError:
            self.go_back(mark)
            raise

    def _draw_again(self, draw: tuple[int, int]) -> None:
        """Put a draw that has fallen already anew, what followed it staying as it was."""
        game = self.game
        index = next((i for i in reversed(range(len(game.events))) if self._draw_of(i) == draw), None)
        if index is None:
            return
        followed = list(game.events[index + 1 :])
        game.cut(index)
        self.game.play(CHANCE, self._drawn())
        for event in followed:
            game.play(event.actor, event.action)
        self._reseat()

    def _draw_of(self, index: int) -> tuple[int, int] | None:
        """Turn and cast of the draw that event number `index` is, None if it is none."""
        event, before = self.game.events[index], self.game.positions[index]
        if event.actor != CHANCE or event.action < 0:
            return None
        return self._diced().throw_due(before)

    def _forget_implied(self) -> None:
        """Throw the dice of draws that only a stone told that is no longer there."""
        for draw in [draw for draw in self._implied if draw[0] >= self.position.turn]:
            told = self._implied.pop(draw)
            if told is None:
                self.told.pop(draw, None)
            else:
                self.told[draw] = told
            self._draw_again(draw)

    def set_dice(self, count: int, sides: int) -> None:
        """Change the dice by agreement; the draw of the side to move is thrown anew."""
        from gtp_variants.rules.diced import DiceKind

        self.play(self.position.mover, pack(SET_DICE, DiceKind(count, sides).code))

    # -- seats ---------------------------------------------------------------------------------------------------------

    def seat(self, colour: int, player: Player, seed: str) -> None:
        """Give a colour to a player, who is told what happened so far."""
        player.sit(self.rules, colour, seed)
        self.seats[colour] = player
        self._heard[colour] = len(self.game.events)
        for news in self.game.heard(colour):
            player.hear(news)

    def unseat(self, colour: int) -> None:
        """Give up on the player of a colour, who is told and asked nothing more."""
        self.seats.pop(colour, None)
        self._heard.pop(colour, None)

    def _reseat(self) -> None:
        """Forget the players: what they heard is no longer what happened."""
        self.seats.clear()
        self._heard.clear()

    def _tell(self) -> None:
        game = self.game
        for colour, player in self.seats.items():
            for index in range(self._heard[colour], len(game.events)):
                news = self._news(index, colour)
                if news is not None:
                    player.hear(news)
            self._heard[colour] = len(game.events)

    def _news(self, index: int, colour: int) -> News | None:
        game = self.game
        return self.rules.hears(game.positions[index], game.events[index], game.positions[index + 1], colour)

    def view(self, colour: int) -> View:
        """What the seat of a colour knows now."""
        events = self.game.events
        watch, count, last = self._watches.get(colour, (None, 0, None))
        if watch is None or count > len(events) or (count and events[count - 1] is not last):
            watch, count = self.rules.watch(colour), 0
            start = self.rules.told_at_start(self.game.positions[0], colour)
            if start is not None:
                watch.hear(start)
        for index in range(count, len(events)):
            news = self._news(index, colour)
            if news is not None:
                watch.hear(news)
        self._watches[colour] = (watch, len(events), events[-1] if events else None)
        return watch.view()

    def asked(self) -> int | None:
        """Who is to act: the side to move, after passes that suspend the game each side in turn; None if it is over."""
        if self.is_final:
            return None
        if not self.suspended:
            return int(self.position.to_play)
        order = [self.position.mover, *self.rules.others(self.position.mover)]
        return next((colour for colour in order if colour not in self._agreed), None)

    def choose(self, colour: int) -> int:
        """The action that the player of a colour chooses now."""
        return self.seats[colour].choose(self.asked_with(colour), self.clocks.get(colour, NO_LIMIT))

    def asked_with(self, colour: int) -> View:
        """What the player of a colour is shown when asked to act now, the other side passed over if need be."""
        mark = len(self.game.events)
        if colour != self.position.mover:
            self._pass_over(colour)
        try:
            return self.view(colour)
        finally:
            self.game.cut(mark)

    def check(self, colour: int, action: int) -> None:
        """Raises IllegalMove if a player may not do this now; changes nothing."""
        mark = len(self.game.events)
        try:
            if colour != self.position.mover and unpack(action)[0] not in _ON_ANY_TURN:
                self._pass_over(colour)
            self.rules.play(self.position, action, colour)
        finally:
            self.game.cut(mark)

    def as_mover(self, colour: int) -> Any:
        """The position in which a colour is to move, the other side passed over if need be. Raises IllegalMove."""
        mark = len(self.game.events)
        try:
            if colour != self.position.mover:
                self._pass_over(colour)
            return self.position
        finally:
            self.game.cut(mark)

    def options(self, colour: int) -> Sequence[int]:
        """What a colour may play now, the other side passed over if need be; () where it may not."""
        return self._from_seat(colour, self.rules.legal)

    def tries(self, colour: int) -> Sequence[int]:
        """What a colour might try if it were to move, as far as it may know itself."""
        return self._from_seat(colour, self.rules.actions)

    def _from_seat(self, colour: int, ask: Callable[[Any], Sequence[int]]) -> Sequence[int]:
        try:
            return ask(self.as_mover(colour))
        except IllegalMove:
            return ()

    def step(self) -> Event:
        """Let the player who is to act do so. Raises GameOver when nobody is, IllegalMove for what is not allowed.

        After passes that suspend the game a stone objects and a pass agrees; when all have agreed the end is final.
        """
        colour = self.asked()
        if colour is None:
            raise GameOver("the game is over")
        action = self.choose(colour)
        return self.answer(colour, action)

    def answer(self, colour: int, action: int) -> Event:
        """Carry out what the player who was asked chose."""
        if self.suspended and action == PASS:
            self._agreed.add(colour)
            if self.asked() is not None:
                return Event(colour, PASS)
            return self.play(colour, SETTLE)
        return self.play(colour, action)

    def close(self, outcome: Outcome | None) -> None:
        """The players leave."""
        for player in self.seats.values():
            player.leave(outcome)
        self._reseat()
