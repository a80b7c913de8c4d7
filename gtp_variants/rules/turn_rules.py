"""Base classes for games played in turns: `TurnRules`, `AreaRules` with a score, `RepeatingRules` for repetition."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, cast

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules import actions
from gtp_variants.rules.boards.board import Board
from gtp_variants.rules.boards.chains import area, chains, liberties, without
from gtp_variants.rules.colour_names import colour_adjective, colour_name
from gtp_variants.rules.illegal_moves import explain, illegal, not_turn
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import P, Rules, check_fits

# Points that the button is worth.
BUTTON = 0.5
# Komi of handicap games in which the usual komi does not hold.
_HANDICAP_KOMI = 0.5


class TurnRules(Rules[P]):
    """A game played in turns: `play` reads the action and calls the method for its kind.

    A game implements `put`, and overrides other methods if it has passes, dice, a swap or a provisional end.
    """

    def play(self, position: P, action: int, actor: int | None = None) -> P:
        if type(position) is not self._position_type or len(position.stones) != len(self.board):
            check_fits(cast("Rules", self), position)
        # Positions keep these numbers, so numpy's integers are converted here.
        if type(action) is not int:
            action = actions.whole("action", action)
        if actor is not None and type(actor) is not int:
            actor = actions.whole("actor", actor)
        if action >= 0:
            self._expect_turn(position, actor)
            if position.to_play == actions.CHANCE:
                return self.throw(position, action)
            if action >= len(self.board):
                raise illegal("off board", self.lang)
            return self.put(position, action)
        kind, argument = actions.unpack(action)
        if kind < actions.MATCH or (argument and kind not in actions.WITH_ARGUMENT):
            raise NotationError(f"action {action}: there is no such action")
        by = position.mover if actor is None else actor
        if kind in actions.LEAVING:
            return self.leave(position, action, by)
        if kind == actions.TURN:
            return position if by == position.mover else self.turn_to(position, by)
        if kind == actions.MARK_DEAD:
            return self.mark_dead(position, argument)
        if kind == actions.TOLERATE:
            return self.tolerate(position, by)
        if self.is_final(position):
            raise illegal("game over", self.lang)
        if kind in actions.TERMS:
            self._check_terms(position, kind, argument)
            return position
        if kind == actions.SETTLE:
            return self.settle_end(position)
        if kind == actions.SET_DICE:
            return self.set_dice(position, argument)
        if by != position.mover:
            raise not_turn(position.mover, self.lang)
        if kind == actions.RESUME:
            return self.resume(position)
        self._expect_turn(position, by)
        return self.pass_turn(position) if kind == actions.PASS else self.swap(position)

    def earlier_after(self, position: P) -> tuple[int, ...]:
        """Return `Position.earlier` for the position after another action of a player."""
        if position.last is None or not self.is_open:
            return ()
        return (position.last.action, *position.earlier)[: Position.EARLIER]

    def _check_terms(self, position: P, kind: int, argument: int) -> None:
        """Raise NotationError unless these terms agree with the options and no turn has been taken."""
        passes = self.values.get("white_passes")
        if position.turn > 1:
            raise NotationError("the terms of a game are agreed on before its first move")
        if kind == actions.WHITE_PASSES and (not argument or argument != passes):
            raise NotationError(f"white_passes {argument}: expected {passes}, as the options of the game say")
        if kind == actions.MATCH and (argument >= len(actions.MATCH_GAMES) or len(self.colours) != 2):
            raise NotationError("match: expected one of two games for two players")

    def _expect_turn(self, position: P, actor: int | None) -> None:
        """Raise IllegalMove if the game cannot continue or it is not the turn of `actor`."""
        if self.is_final(position):
            raise illegal("game over", self.lang)
        if position.to_play == actions.CHANCE and actor in self.colours:
            raise IllegalMove("not your turn", explain("no die", self.lang))
        if actor is not None and actor != position.to_play:
            raise not_turn(position.mover, self.lang)

    @abstractmethod
    def put(self, position: P, point: int) -> P:
        """Return the position after the side to move places a stone. Raises IllegalMove if the stone is forbidden."""

    def expect_room(self, position: P, point: int) -> None:
        """Raise IllegalMove if a stone stands on the point or the side to move has no stone left to place."""
        if there := position.stones[point]:
            stone = colour_adjective(there, self.lang)
            raise illegal("occupied", self.lang, vertex=self.board.vertex(point), stone=stone)
        if not self.has_supply(position):
            raise illegal("supply", self.lang, name=colour_name(position.mover, self.lang))

    def has_supply(self, position: P) -> bool:
        """Return True if the side to move has at least one stone left to place."""
        return self.supply is None or position.stones.count(position.mover) < self.supply[position.mover]

    def pass_turn(self, position: P) -> P:
        """Return the position after a pass. Raises IllegalMove if passing is not allowed."""
        raise illegal("no pass", self.lang)

    def swap(self, position: P) -> P:
        """Return the position after the second player takes over the first stone. Raises IllegalMove if not allowed."""
        raise illegal("no swap", self.lang)

    def turn_to(self, position: P, colour: int) -> P:
        """Return the position with `colour` to move. Skipping the other side counts neither as a pass nor as a turn.

        Outside the Go family, IllegalMove is raised after the first turn; before it, a host may let either side begin.
        """
        if self.is_final(position):
            raise illegal("game over", self.lang)
        if position.last is not None or len(self.colours) != 2 or colour not in self.colours:
            raise not_turn(position.mover, self.lang)
        return replace(position, mover=colour)

    def leave(self, position: P, action: int, actor: int) -> P:
        """Return the position after `actor` resigned, lost on time or forfeited. Raises IllegalMove if not in play."""
        if actor not in self.colours:
            raise not_turn(position.mover, self.lang)
        if self.is_final(position) or any(event.actor == actor for event in position.out):
            raise illegal("game over", self.lang)
        event = actions.Event(actor, action)
        left = replace(
            position, out=(*position.out, event), last=event, captured=(), earlier=self.earlier_after(position)
        )
        if position.mover == actor and len(self.colours) - len(left.out) > 1:
            left = replace(left, mover=next_mover(self.colours, left, actor))
        return left

    def resume(self, position: P) -> P:
        """Return the position after a player has rejected the end by passes. Raises NotationError if not suspended."""
        raise NotationError(explain("not suspended", self.lang))

    def settle_end(self, position: P) -> P:
        """Return the position with its provisional end made final. Raises NotationError if no end is provisional."""
        raise NotationError(explain("not suspended", self.lang))

    def mark_dead(self, position: P, point: int) -> P:
        """Return the position after a chain has been declared dead, or alive again. Raises NotationError if refused."""
        raise NotationError(f"dead stones cannot be marked in {self.name}")

    def tolerate(self, position: P, actor: int) -> P:
        """Return the position in which the next stone may repeat a board or be the suicide of several stones.

        Only the host (`actor` is CHANCE) may do this, for a stone that was played elsewhere.
        """
        raise NotationError(f"{self.name} accepts no stone that its rules forbid")

    def throw(self, position: P, action: int) -> P:
        """Return the position after a throw of the dice. Raises NotationError in a game without dice."""
        raise NotationError(f"not a game with dice: {self.name}")

    def set_dice(self, position: P, code: int) -> P:
        """Return the position with the dice of a `DiceKind.code`. Raises NotationError in a game without dice."""
        raise NotationError(f"not a game with dice: {self.name}")


class AreaRules(TurnRules[P]):
    """A game that ends by passes and is scored by area or territory. Chains may be dead without being captured."""

    counts_territory: bool = False
    button: bool = False  # True if the first pass takes a button worth half a point

    @abstractmethod
    def lives(self, stones: bytes | bytearray, members: Collection[int]) -> bool:
        """Return True if a chain stays on the board without a liberty."""

    def has_button(self, position: P) -> bool:
        """Return True if the next pass takes the button instead of counting towards the end."""
        return self.button and position.button == actions.EMPTY

    def komi_with(self, handicap: int) -> float:
        """Return the komi of a game with `handicap` stones, or of an even game if `handicap` is 0."""
        return self.komi if not handicap or self.values.get("komi_in_handicap", True) else _HANDICAP_KOMI

    def game_komi(self, handicap: int) -> float:
        """Return the komi of a game with `handicap` stones, and White's bonus points for these stones."""
        bonus = str(self.values.get("handicap_bonus"))
        return self.komi_with(handicap) + {"N": handicap, "N-1": max(0, handicap - 1)}.get(bonus, 0)

    def effective_komi(self, position: P) -> float:
        """Return White's points besides its area: komi, bonus, button, and for territory a correction for stones."""
        komi = self.game_komi(position.handicap)
        if position.button != actions.EMPTY:
            komi += BUTTON if position.button == actions.WHITE else -BUTTON
        if self.counts_territory:
            # Each stone is a point of area, or a prisoner of the other side. So Black's lead by territory is its lead
            # by area minus the difference between the numbers of stones that Black and White have played.
            stones, taken = position.stones, position.taken
            komi += (
                stones.count(actions.BLACK) + taken[actions.WHITE] - stones.count(actions.WHITE) - taken[actions.BLACK]
            )
        return komi

    def standing(self, position: P) -> Outcome:
        return self.score(position, position.dead)

    def score(self, position: P, dead: Collection[int]) -> Outcome:
        """Return the score of the board without the `dead` stones."""
        counted = area(self.board, without(position.stones, dead) if dead else position.stones)
        margin = round(counted[actions.BLACK] - counted[actions.WHITE] - self.effective_komi(position), 6)
        if margin == 0:
            return Outcome(None, "score")
        return Outcome(actions.BLACK if margin > 0 else actions.WHITE, "score", abs(margin))


class RepeatingRules(Rules[P]):
    """A game in which repeating a board is forbidden or makes the game a draw."""

    draws_by_repetition: ClassVar[bool] = False  # True if repeating makes a drawn game: then occurrences are counted
    most_occurrences: int = 2  # number of the occurrence that is forbidden or makes a draw

    @abstractmethod
    def repeats(self, position: P) -> Mapping[int, int]:
        """Return the empty points where a stone would repeat a board, each with the number of earlier occurrences.

        If repetition is forbidden, only points that no other rule forbids are returned.
        """

    def occurrences(self, position: P) -> int:
        """Return the number of times the current board has occurred, including now, or 1 if boards are not counted."""
        return 1


def others(colours: Sequence[int], colour: int) -> tuple[int, ...]:
    """Return every colour of a game except one."""
    return tuple(other for other in colours if other != colour)


def next_mover(colours: Sequence[int], position: Position, colour: int) -> int:
    """Return the colour that moves after `colour`. Players who have left are skipped."""
    gone = {event.actor for event in position.out}
    index = colours.index(colour)
    for step in range(1, len(colours) + 1):
        following = colours[(index + step) % len(colours)]
        if following not in gone:
            return following
    return colour


def outcome_of_leaving(colours: Sequence[int], position: Position) -> Outcome | None:
    """Return the outcome if all players but one have left, else None."""
    if not position.out or len(position.out) < len(colours) - 1:
        return None
    gone = {event.actor for event in position.out}
    winner = next(colour for colour in colours if colour not in gone)
    hows = {actions.RESIGN: "resign", actions.FLAG: "time", actions.FORFEIT: "forfeit"}
    return Outcome(winner, hows[position.out[-1].action])


def tally_captures(position: Position, colour: int, captured: Sequence[int]) -> tuple[int, ...]:
    """Return `Position.taken` after `colour` has removed stones on these points. Its own stones do not count."""
    taken = list(position.taken)
    taken[colour] += sum(1 for point in captured if position.stones[point] not in (actions.EMPTY, colour))
    return tuple(taken)


def lay_out(
    board: Board,
    colours: Sequence[int],
    setup: Mapping[int, int] | None,
    lives: Callable[[bytes | bytearray, Collection[int]], bool] | None = None,
) -> bytes:
    """Return the stones of a setup; `lives` returns True for chains that may stand without a liberty.

    Raises NotationError for a point off the board, a colour not in the game or a chain that cannot stand.
    """
    stones = bytearray(len(board))
    for point, colour in (setup or {}).items():
        if not 0 <= point < len(board):
            raise NotationError(f"setup: there is no point {point}")
        stones[point] = check_colour(colours, colour)
    for members in chains(board, stones) if setup else ():
        if not liberties(board, stones, members) and not (lives and lives(stones, members)):
            raise NotationError(f"setup: the chain on {board.vertex(members[0])} has no liberty")
    return bytes(stones)


def check_colour(colours: Sequence[int], colour: int) -> int:
    """Return the colour. Raises NotationError if nobody plays it in this game."""
    if colour not in colours:
        name = colour_name(colour) if 0 < colour <= actions.RED else f"colour {colour}"
        raise NotationError(f"setup: nobody plays {name} in this game")
    return colour
