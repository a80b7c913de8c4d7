"""`DicedRules` for games with dice, `HiddenRules` for games with hidden stones."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypedDict

from gtp_variants.rules.actions import CHANCE, Event
from gtp_variants.rules.boards.history import History, RepetitionRule
from gtp_variants.rules.dice import DiceKind, Faces, LineTable
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import P, Rules
from gtp_variants.rules.turn_rules import next_mover
from gtp_variants.rules.views import Announcement, View


class DrawDescription(TypedDict):
    """A draw for JSON: the dice, the sum of their faces, the lines that the throw names, and the lines it opens."""

    dice: str
    total: int
    drawn: list[int]
    open: list[int]


class DicedRules(Rules[P]):
    """A game in which dice are thrown before each turn. Their total names the lines of the board that are open."""

    dice: DiceKind  # the dice at the start; `dice_of` gives the dice of a position
    lines: tuple[int, ...]  # the line of each point, or 0 for a point that no total opens
    on_line: Mapping[int, Sequence[int]]  # the points of each line
    line_table: LineTable  # the meaning of each throw, independent of the position
    free_player: int | None  # the colour that plays without dice, None if both throw
    slots: int  # draws that must be known before a stone: 1, or 2 if the next turn's draw is known too

    @classmethod
    @abstractmethod
    def usual_dice(cls, size: int) -> tuple[str, ...]:
        """Return the dice that suit a board of this size, the usual dice first."""

    @abstractmethod
    def dice_of(self, position: P) -> DiceKind:
        """Return the dice now in use. The players can agree on other dice during a game."""

    @abstractmethod
    def cast(self, position: P, slot: int) -> int:
        """Return the number of times the dice of this turn (slot 0) or the next (slot 1) were changed and rethrown."""

    @abstractmethod
    def with_draws(self, position: P, draws: tuple[int, ...]) -> P:
        """Return the position with other draws for this turn and the next; with (), no dice have been thrown."""

    @abstractmethod
    def before_next_draw(self, position: P) -> P:
        """Return the position before the next throw; the player to move is the player for whom the dice are thrown."""

    @abstractmethod
    def open_lines(self, position: P) -> tuple[int, ...] | None:
        """Return the lines open to the side to move: () if it must pass, None if the draw is `DiceKind.free`."""

    @abstractmethod
    def open_points(self, position: P) -> list[int]:
        """Return the points where the side to move may place a stone under its draw."""

    @abstractmethod
    def points_of_any_draw(self, position: P) -> list[int]:
        """Return the points where the side to move could place a stone under some draw."""

    def odds(self, position: P) -> Sequence[float]:
        if position.to_play != CHANCE:
            return super().odds(position)
        count = len(self.line_table.outcomes(self.dice_of(position)))
        return [*[1 / count] * count, 0.0]

    def odds_of_lines(self, position: P) -> dict[int, float]:
        """Return, for each line, the probability that the next throw opens it on this board, fallback included."""
        unthrown = self.before_next_draw(position)
        if unthrown.mover == self.free_player:
            return dict.fromkeys(self.on_line, 1.0)
        dice = self.dice_of(unthrown)
        outcomes = self.line_table.outcomes(dice)
        counts = dict.fromkeys(self.on_line, 0)
        # Compute each total once, because all throws with the same total open the same lines.
        opened: dict[int, tuple[int, ...]] = {}
        for outcome in outcomes:
            total = sum(dice.faces(outcome))
            if total not in opened:
                opened[total] = self.open_lines(self.with_draws(unthrown, (outcome,) * self.slots)) or ()
            for line in opened[total]:
                counts[line] += 1
        return {line: count / len(outcomes) for line, count in counts.items()}

    def owner(self, position: P, slot: int) -> int:
        """Return the colour whose turn a draw is for: in slot 0 the side to move, in slot 1 the next side to move."""
        return next_mover(self.colours, position, position.mover) if slot else position.mover

    def throw_due(self, position: P) -> tuple[int, int]:
        """Return the turn number of the next throw, and the number of times that turn's dice were changed."""
        slot = len(position.draws)
        return position.turn + slot, self.cast(position, slot)

    def faces(self, position: P, action: int) -> Faces:
        """Return the faces of a CHANCE action; () for the action that opens every line."""
        dice = self.dice_of(position)
        return () if action == dice.free else dice.faces(action)

    def opening_draw(self, position: P, point: int) -> int:
        """Return a CHANCE action under which a stone may be placed on a point.

        Throws that name the point's line are preferred to throws that fall back to it, and all throws to the action
        that opens every line.
        """
        line, dice, table = self.lines[point], self.dice_of(position), self.line_table
        throws = {sum(dice.faces(outcome)): outcome for outcome in table.outcomes(dice)}
        for outcome in throws.values():
            if line in table.drawn_lines(dice, dice.faces(outcome)):
                return outcome
        for outcome in throws.values():
            open_lines = self.open_lines(self.with_draws(position, (outcome, *position.draws[1:])))
            if open_lines is not None and line in open_lines:
                return outcome
        return dice.free

    def describe_draw(self, position: P) -> DrawDescription | None:
        """Return the draw for this turn; None if it is not thrown yet or `dice.free`, or if the game is over."""
        dice = self.dice_of(position)
        if self.is_over(position) or position.to_play == CHANCE or position.draws[0] == dice.free:
            return None
        faces = self.faces(position, position.draws[0])
        return {
            "dice": str(dice),
            "total": sum(faces),
            "drawn": list(self.line_table.drawn_lines(dice, faces)),
            "open": list(self.open_lines(position) or ()),
        }


def faces_of(rules: Rules, position: Position, action: int) -> Faces:
    """Return the faces of a CHANCE action; () for `DiceKind.free`, and in a game without dice."""
    return rules.faces(position, action) if isinstance(rules, DicedRules) else ()


class HiddenRules(Rules[P]):
    """A game whose players are not told everything; `hears` decides what they are told."""

    is_open = False
    repetition: str  # one of `options.REPETITIONS`, or "draw"
    repetition_rule: RepetitionRule
    button: bool  # the first pass does not count towards the end
    enemy_atari: str  # which enemy stones in atari are announced: "new", "all" or "none"
    own_atari: str  # when a player's own atari is announced: "always", "new_only" or "none"
    only_owner_sees_captures: bool = False  # the other side hears only the number of captured stones
    refusal_shows_stone: bool = False  # a refused try shows its player the colour on the point
    refusal_is_private: bool = False  # only the player hears of a refused try
    refusal_parts_passes: bool = False  # passes before and after a refused try do not count as in a row

    @abstractmethod
    def announcements(self, position: P) -> tuple[Announcement, ...]:
        """Return the announcements after the last try."""

    @abstractmethod
    def heard_komi(self, view: View) -> float:
        """Return the points that White has besides its area, as far as a seat has heard; 0 if there is no score."""

    @abstractmethod
    def with_board(self, position: P, stones: bytes, before: bytes, last: Event | None, history: History) -> P:
        """Return the position with other stones, stones before the last move, last move and history."""

    @abstractmethod
    def texts(self, said: Sequence[Announcement]) -> list[str]:
        """Return the sentences for the announcements after one try; joined announcements share a sentence."""

    def sentences(self, said: Sequence[Announcement]) -> list[str]:
        """Return the announcements after one try as sentences, without duplicates."""
        return list(dict.fromkeys(self.texts(said)))
