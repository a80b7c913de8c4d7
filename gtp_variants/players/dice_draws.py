"""The draws of a game with dice: thrown when due, or told by a host that throws them itself."""

from collections.abc import Callable, Mapping, Sequence

from gtp_variants.errors import NotationError
from gtp_variants.rules.actions import CHANCE, SET_DICE, pack
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.game import Dice, Game
from gtp_variants.rules.traits import DicedRules, faces_of

# Turn number and how often the dice had been changed in that turn -> the faces, () for a turn without a line.
ToldDraws = dict[tuple[int, int], tuple[int, ...]]
_ImpliedDraws = dict[tuple[int, int], tuple[int, ...] | None]
DrawsMark = tuple[ToldDraws, _ImpliedDraws]


class ComingDice:
    """Other dice that were agreed on for later turns: they come with the first turn whose draw nobody has seen.

    So nobody can choose between two draws of one turn, as long as no change that was made is taken back: `furthest` is
    the last turn whose draw was shown before something else was, 0 for none.
    """

    def __init__(self, by_turn: Mapping[int, DiceKind] | None = None, furthest: int = 0) -> None:
        self.by_turn = dict(by_turn or {})
        self.furthest = furthest

    def add(self, turn: int, dice: DiceKind) -> None:
        """Agree on dice during a turn; another word in the same turn counts instead."""
        self.by_turn[max(self.furthest, turn) + 1] = dice

    def find(self, turn: int) -> DiceKind | None:
        """The dice that were agreed on last for a turn or one before it."""
        return self.by_turn.get(self._last_until(turn))

    def _last_until(self, turn: int) -> int:
        return max((each for each in self.by_turn if each <= turn), default=0)

    def after(self, turn: int) -> DiceKind | None:
        """The dice that come into force later than a turn; None where they stay."""
        last = max(self.by_turn, default=0)
        return self.by_turn[last] if last > turn else None

    def postpone(self, turn: int) -> None:
        """The draw of a turn falls with the dice from before: others come a turn later."""
        dice = self.by_turn.pop(self._last_until(turn), None)
        if dice is not None:
            self.by_turn.setdefault(turn + 1, dice)


class Draws:
    """What the dice of a game show. `make_dice` is called for the first throw, so that no others load dice.

    `told` are draws that a host told. Some it told by a stone off the line, not in words: these are implied, and go
    when the stone goes.
    """

    def __init__(self, game: Game, make_dice: Callable[[], Dice], told: ToldDraws) -> None:
        self.told = dict(told)
        self.coming = ComingDice()
        # With each implied draw what the host had told before, if anything.
        self._implied: _ImpliedDraws = {}
        self._game = game
        self._make_dice = make_dice
        self._dice: Dice | None = None

    def throw(self) -> None:
        """Throw all dice that are due."""
        while self._game.position.to_play == CHANCE:
            if self.coming.by_turn:
                self._change_dice()
            try:
                draw = self._draw()
            except NotationError:
                # It was told for dice that have been changed since.
                self.told.pop(self._due(), None)
                draw = self._draw()
            self._game.play(CHANCE, draw)

    def _change_dice(self) -> None:
        """Put the dice into force that were agreed on for the turn that begins."""
        position, rules = self._game.position, self._rules()
        dice = self.coming.find(position.turn)
        if dice is None or position.draws or dice == rules.dice_of(position):
            return
        if rules.is_suspended(position):
            # They cannot change now, and the draw that falls is seen: also when what suspended the game is taken back.
            self.coming.postpone(position.turn)
        else:
            self._game.play(position.mover, pack(SET_DICE, dice.code))

    def _due(self) -> tuple[int, int]:
        """Turn and cast of the throw that is due."""
        return self._rules().throw_due(self._game.position)

    def _rules(self) -> DicedRules:
        """The rules. Raises NotationError in a game without dice."""
        rules = self._game.rules
        if not isinstance(rules, DicedRules):
            raise NotationError(f"not a game with dice: {rules.name}")
        return rules

    def _draw(self) -> int:
        """The action of the throw that is due. Raises NotationError for a told one that these dice cannot show."""
        faces = self.told.get(self._due())
        if faces is None:
            if self._dice is None:
                self._dice = self._make_dice()
            return self._dice.draw(self._game)
        dice = self._rules().dice_of(self._game.position)
        return dice.outcome(faces) if faces else dice.free

    def tell(self, colour: int, faces: Sequence[int]) -> bool:
        """Take a host's word for the draw of a colour's next turn; whether a draw that had fallen was changed by it.

        Raises NotationError if that draw is not due or the dice cannot fall so.
        """
        position, rules = self._game.position, self._rules()
        slot = 0 if colour == position.mover else 1
        if slot >= rules.slots:
            raise NotationError(f"the next draw is that of {colour_name(position.mover, rules.lang)}")
        if colour == rules.free_player:
            if faces:
                raise NotationError(f"{colour_name(colour, rules.lang)} plays without dice")
            return False
        draw = position.turn + slot, rules.cast(position, slot)
        self.told[draw] = tuple(faces)
        self._implied.pop(draw, None)
        return self._draw_again(draw)

    def imply(self, colour: int, action: int) -> bool:
        """Take a stone off the open lines for a host's word: a draw that opens its line. As `tell`."""
        position, rules = self._game.position, self._rules()
        key = position.turn, rules.cast(position, 0)
        before = self.told.get(key)
        is_changed = self.tell(colour, faces_of(rules, position, rules.opening_draw(position, action)))
        self._implied[key] = before
        return is_changed

    def forget_implications(self) -> None:
        """Throw the dice of implied draws whose stone is no longer there."""
        for draw in [draw for draw in self._implied if draw[0] >= self._game.position.turn]:
            told = self._implied.pop(draw)
            if told is None:
                self.told.pop(draw, None)
            else:
                self.told[draw] = told
            self._draw_again(draw)

    def _draw_again(self, draw: tuple[int, int]) -> bool:
        """Put a draw that has fallen already anew, what followed it staying as it was; whether there was one."""
        game = self._game
        index = next((i for i in reversed(range(len(game.events))) if self._draw_of(i) == draw), None)
        if index is None:
            return False
        later = list(game.events[index + 1 :])
        game.cut(index)
        game.play(CHANCE, self._draw())
        for event in later:
            game.play(event.actor, event.action)
        return True

    def _draw_of(self, index: int) -> tuple[int, int] | None:
        """Turn and cast of the draw that event number `index` is, None if it is none."""
        event, before = self._game.events[index], self._game.positions[index]
        if event.actor != CHANCE or event.action < 0:
            return None
        return self._rules().throw_due(before)

    def mark(self) -> DrawsMark:
        """What was told so far, for `go_back`."""
        return dict(self.told), dict(self._implied)

    def go_back(self, mark: DrawsMark) -> None:
        """Make it what it was when the mark was set."""
        self.told, self._implied = dict(mark[0]), dict(mark[1])
