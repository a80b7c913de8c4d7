"""The draws of a game with dice, thrown when due or given by a host that throws its own dice."""

from collections.abc import Callable, Mapping, Sequence

from gtp_variants.errors import NotationError
from gtp_variants.rules.actions import CHANCE, SET_DICE, pack
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.game import Dice, Game
from gtp_variants.rules.traits import DicedRules, faces_of

# (turn number, number of dice changes in that turn) -> faces, or () for a turn without a line.
ToldDraws = dict[tuple[int, int], tuple[int, ...]]
_ImpliedDraws = dict[tuple[int, int], tuple[int, ...] | None]
DrawsMark = tuple[ToldDraws, _ImpliedDraws]


class ComingDice:
    """Agreed changes of dice. Each waits for the first turn whose draw nobody has seen, so that nobody can pick a draw.

    `furthest` is the last turn whose draw had been seen when a turn was taken back, or 0 if none was taken back.
    """

    def __init__(self, by_turn: Mapping[int, DiceKind] | None = None, furthest: int = 0) -> None:
        self.by_turn = dict(by_turn or {})
        self.furthest = furthest

    def add(self, turn: int, dice: DiceKind) -> None:
        """Add an agreement on dice made during a turn. A second agreement in the same turn replaces the first."""
        self.by_turn[max(self.furthest, turn) + 1] = dice

    def find(self, turn: int) -> DiceKind | None:
        """Return the latest dice agreed on for this turn or an earlier turn, or None."""
        return self.by_turn.get(self._last_until(turn))

    def _last_until(self, turn: int) -> int:
        return max((each for each in self.by_turn if each <= turn), default=0)

    def after(self, turn: int) -> DiceKind | None:
        """Return the dice that come into force after this turn, or None if the dice stay the same."""
        last = max(self.by_turn, default=0)
        return self.by_turn[last] if last > turn else None

    def postpone(self, turn: int) -> None:
        """Move a change that was due in this turn to the next turn."""
        dice = self.by_turn.pop(self._last_until(turn), None)
        if dice is not None:
            self.by_turn.setdefault(turn + 1, dice)


class Draws:
    """The draws of one game. `make_dice` is called at the first throw, so games without throws need no dice.

    `told` contains the draws that the host gave. A draw is implied when the host did not give it but played a stone
    off the open lines. An implied draw is forgotten when its stone is taken back.
    """

    def __init__(self, game: Game, make_dice: Callable[[], Dice], told: ToldDraws) -> None:
        self.told = dict(told)
        self.coming = ComingDice()
        # For each implied draw, the draw that the host had given before, or None.
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
                # The host gave this draw for dice that have since been changed, so it does not count.
                self.told.pop(self._due(), None)
                draw = self._draw()
            self._game.play(CHANCE, draw)

    def _change_dice(self) -> None:
        """Bring into force the dice agreed on for the turn that begins."""
        position, rules = self._game.position, self._rules()
        dice = self.coming.find(position.turn)
        if dice is None or position.draws or dice == rules.dice_of(position):
            return
        if rules.is_suspended(position):
            # Dice cannot change while passes suspend the game, and this draw will be seen, so the change must wait.
            self.coming.postpone(position.turn)
        else:
            self._game.play(position.mover, pack(SET_DICE, dice.code))

    def _due(self) -> tuple[int, int]:
        return self._rules().throw_due(self._game.position)

    def _rules(self) -> DicedRules:
        """Return the rules. Raises NotationError if the game has no dice."""
        rules = self._game.rules
        if not isinstance(rules, DicedRules):
            raise NotationError(f"not a game with dice: {rules.name}")
        return rules

    def _draw(self) -> int:
        """Return the action of the due throw. Raises NotationError if the host's draw does not fit these dice."""
        faces = self.told.get(self._due())
        if faces is None:
            if self._dice is None:
                self._dice = self._make_dice()
            return self._dice.draw(self._game)
        dice = self._rules().dice_of(self._game.position)
        return dice.outcome(faces) if faces else dice.free

    def tell(self, colour: int, faces: Sequence[int]) -> bool:
        """Set a colour's next draw. Return True if it replaced a thrown draw. Raises NotationError if it is invalid."""
        position, rules = self._game.position, self._rules()
        slot = 0 if colour == position.mover else 1
        if slot >= rules.slots:
            raise NotationError(f"the next draw belongs to {colour_name(position.mover, rules.lang)}")
        if colour == rules.free_player:
            if faces:
                raise NotationError(f"{colour_name(colour, rules.lang)} plays without dice")
            return False
        draw = position.turn + slot, rules.cast(position, slot)
        self.told[draw] = tuple(faces)
        self._implied.pop(draw, None)
        return self._draw_again(draw)

    def imply(self, colour: int, action: int) -> bool:
        """Set a draw that opens a line for a stone off the open lines. Return True if it replaced a thrown draw."""
        position, rules = self._game.position, self._rules()
        key = position.turn, rules.cast(position, 0)
        before = self.told.get(key)
        is_changed = self.tell(colour, faces_of(rules, position, rules.opening_draw(position, action)))
        self._implied[key] = before
        return is_changed

    def forget_implications(self) -> None:
        """Undo the implied draws whose stones have been taken back: restore the host's earlier draw, or throw again."""
        for draw in [draw for draw in self._implied if draw[0] >= self._game.position.turn]:
            told = self._implied.pop(draw)
            if told is None:
                self.told.pop(draw, None)
            else:
                self.told[draw] = told
            self._draw_again(draw)

    def _draw_again(self, draw: tuple[int, int]) -> bool:
        """Replace a past draw and replay the events that followed it. Return True if the old draw had been thrown."""
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
        """Return the key in `told` of event number `index`, or None if the event is not a draw."""
        event, before = self._game.events[index], self._game.positions[index]
        if event.actor != CHANCE or event.action < 0:
            return None
        return self._rules().throw_due(before)

    def mark(self) -> DrawsMark:
        """Return the told and implied draws so far, which `go_back` can restore."""
        return dict(self.told), dict(self._implied)

    def go_back(self, mark: DrawsMark) -> None:
        self.told, self._implied = dict(mark[0]), dict(mark[1])
