"""Replays that keep our game in step with a server's list of moves.

On a server two passes end the game; in our games play may continue with new dice. Such passes stay between the
players: they are private steps, which are not sent to the server.
"""

import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gtp_variants.bridge.core.server import ServerGame, ServerMove
from gtp_variants.errors import IllegalMove, NotationError, VariantsError
from gtp_variants.players.agreements import single_die
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.players.refereed_seat import RefereedSeat
from gtp_variants.players.table import Table, check
from gtp_variants.records.notation import read_faces, read_move
from gtp_variants.rules import AS_IT_STANDS, find_games, parse, split_spec
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, PASS, RESIGN, RESUME, SWAP, WHITE
from gtp_variants.rules.boards.handicap import fixed_points
from gtp_variants.rules.colour_names import read_colour
from gtp_variants.rules.dice import DiceKind, read_dice
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.illegal_moves import not_turn
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

RESUMED = "resume"
# Maximum number of characters of a line that a message quotes.
_LONGEST_SHOWN = 80
# Allowed actions besides stones and resigning.
_MOVES = (PASS, SWAP)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of our game: `word` is a vertex, `pass` or `resume`.

    `is_off_line` marks a stone that was accepted although it is off the open line. The throw is then replaced by one
    that opens the stone's line.
    """

    colour: int
    word: str
    is_off_line: bool = False


@dataclass(frozen=True, slots=True)
class PrivateSteps:
    """Steps that were not sent to the server, made after its first `count` moves."""

    count: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ReplayFault:
    """A step that cannot be played, and why."""

    index: int
    step: Any
    error: VariantsError


def steps_of(moves: Sequence[ServerMove], private: Sequence[PrivateSteps], let_stand: Sequence[int]) -> list[Step]:
    """Return all steps in order. `let_stand` has the indices of moves accepted although they were off the open line."""
    found: list[Step] = []
    for count in range(len(moves) + 1):
        found += [step for each in private if each.count == count for step in each.steps]
        if count < len(moves):
            found.append(Step(*moves[count], count in let_stand))
    return found


def rules_of(spec: str, game: ServerGame, lang: str | None = None) -> Rules:
    """Return the rules of a SPEC with the server's board and komi, and `lang` if given. Raises SpecError if invalid."""
    cls, given = split_spec(spec)
    known = {option.key for option in cls.options}
    if game.height not in (0, game.size):
        given = {**given, "width": str(game.size), "height": str(game.height)}
    elif "size" in known or "size" in cls.options.shorthands:
        given = {**given, "size": str(game.size)}
    if game.komi is not None and "komi" in known:
        given = {**given, "komi": format_number(game.komi)}
    if cls.profile.is_go:
        given = {**AS_IT_STANDS, **given, **game.options}
    return cls(given if lang is None else {**given, "lang": lang})


def go_rules(size: int) -> Rules:
    """Return rules of Go that accept what a server accepts: any position may recur."""
    (name,) = find_games(lambda game: game.profile.is_go)
    return parse(f"{name}:size={size},repetition=none", AS_IT_STANDS)


def setup_of(rules: Rules, game: ServerGame) -> dict[int, int]:
    """Return the stones at the start by point. Raises NotationError if the handicap has no fixed points."""
    if game.placed or game.placed_white:
        stones = (*((each, BLACK) for each in game.placed), *((each, WHITE) for each in game.placed_white))
        return {rules.board.point(vertex): colour for vertex, colour in stones}
    if not game.handicap:
        return {}
    points = fixed_points(rules.board, game.handicap)
    if points is None:
        raise NotationError(f"handicap {game.handicap}: there are no fixed points for it")
    return dict.fromkeys(points, BLACK)


def seat_seed(secret: bytes) -> str:
    """Return the seed, derived from a game's secret, for all random choices of our player."""
    return hmac.digest(secret, b"seat", "sha256").hex()


class GameReplay(ABC):
    """A game that follows a list of steps of any kind, with one seat whose player can be asked for moves."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.steps: list[Any] = []
        self._restart()

    def follow(self, steps: Sequence[Any]) -> ReplayFault | None:
        """Bring the game up to these steps. Return the first step that cannot be played, or None."""
        if self.steps != list(steps[: len(self.steps)]):
            self.steps = []
            self._restart()
        for index in range(len(self.steps), len(steps)):
            try:
                self._play(steps[index])
            except VariantsError as error:
                return ReplayFault(index, steps[index], error)
            self.steps.append(steps[index])
        return None

    @abstractmethod
    def _restart(self) -> None:
        """Return to the beginning of the game."""

    @abstractmethod
    def _play(self, step: Any) -> None:
        """Carry out a step. If this raises VariantsError, nothing has changed."""

    @abstractmethod
    def has_seat(self, colour: int) -> bool:
        """Return True if the colour has a player who has heard all steps. A restart unseats the player."""

    @abstractmethod
    def seat(self, colour: int, player: Player, seed: str) -> None:
        """Seat a player for a colour, and send the player the game so far."""

    @abstractmethod
    def choose(self, colour: int, clock: Clock) -> int:
        """Return the action that the colour's player chooses."""

    @abstractmethod
    def why_not(self, colour: int, action: int) -> str:
        """Return why an action is illegal, as far as the seat can know, or "" if it is legal."""

    def find_dead(self) -> tuple[str, ...]:
        """Return a vertex of each chain that a search calls dead, or () in hidden games."""
        return ()


# A function that makes an empty replay.
MakeReplay = Callable[[], GameReplay]


class TableReplay(GameReplay):
    """A replay on a `Table`, whose rules check each step."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """The table, with all due dice thrown."""

    def has_seat(self, colour: int) -> bool:
        return colour in self.table.seats

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self.table.seat(colour, player, seed)

    def choose(self, colour: int, clock: Clock) -> int:
        self.table.clocks[colour] = clock
        return self.table.choose(colour)

    def why_not(self, colour: int, action: int) -> str:
        if action == RESIGN:
            return ""
        try:
            check(self.table, colour, action)
        except (VariantsError, IndexError, TypeError) as error:
            return str(error)
        return "" if action >= 0 or action in _MOVES else "not a move"

    def find_dead(self) -> tuple[str, ...]:
        from gtp_variants.ai.mcts.final_status import find_dead_chains

        rules, position = self.rules, self.table.position
        return tuple(rules.board.vertex(points[0]) for points in find_dead_chains(rules, position))


class ReplayedGame(TableReplay):
    """A table that follows a server's moves and throws its own dice."""

    def __init__(
        self,
        rules: Rules,
        secret: bytes,
        setup: dict[int, int],
        *,
        first: int = EMPTY,
        passes_stay: bool = False,
        single_die_from: int = 0,
        terms: Sequence[tuple[int, int]] = (),
    ) -> None:
        """With `passes_stay`, moves may follow two passes. `single_die_from` is the first turn with one die, or 0.

        `terms` has what was agreed on before the first move: the proposer's colour, and the action.
        """
        self._secret, self._setup, self._passes_stay = secret, setup, passes_stay
        self._first = (first or WHITE) if setup else None
        self._single_die_from, self._terms = single_die_from, terms
        super().__init__(rules)

    def _restart(self) -> None:
        dice = DiceStream(self._secret)
        self._table = Table(self.rules, lambda: dice, self._setup, self._first)
        if self._single_die_from and (die := single_die(self._table)) is not None:
            self._table.draws.coming.add(self._single_die_from - 1, die)
        for colour, action in self._terms:
            self._table.play(colour, action)

    @property
    def table(self) -> Table:
        return self._table

    def _play(self, step: Step) -> None:
        table = self.table
        if step.word == RESUMED:
            if table.suspended:
                table.play(step.colour, RESUME)
            return
        action = read_move(self.rules.board, step.word)
        if table.suspended and self._passes_stay:
            # The move itself is the only sign that play has been resumed, so resume play before it.
            table.play(step.colour, RESUME)
        if step.colour != table.position.mover:
            raise not_turn(table.position.mover, self.rules.lang)
        if table.suspended and action == PASS:
            # Refuse a third pass: it would end the game by our rules, but only the players' agreement may end it.
            raise IllegalMove("game over")
        if step.is_off_line:
            table.play_for_host(step.colour, action)
        else:
            table.play(step.colour, action)


class OpenReplay(TableReplay):
    """An open game that follows `draw` and `play` lines. Its dice show what the server reports."""

    def __init__(self, rules: Rules) -> None:
        # Turn -> faces of the dice, or () for a turn in which every line is open.
        self._draws: dict[int, tuple[int, ...]] = {}
        # The single die that the players have agreed on, by the first turn in which it is thrown.
        self._agreed: dict[int, DiceKind] = {}
        super().__init__(rules)

    def _restart(self) -> None:
        # Creating a table needs the first throw, so `table` creates it once that throw has been read.
        self._table: Table | None = None

    @property
    def table(self) -> Table:
        """The table, with all due dice thrown. Raises NotationError if the server has not sent the first throw."""
        if self._table is None:
            self._table = Table(self.rules, lambda: self)
        self._table.draws.coming.by_turn = self._agreed
        return self._table

    def draw(self, game: Game) -> int:
        """Return the outcome of the throw that is due. Raises NotationError if the server has not sent it."""
        position = game.position
        turn = position.turn + len(position.draws)
        if not isinstance(self.rules, DicedRules) or position.to_play != CHANCE or turn not in self._draws:
            raise NotationError(f"the server did not send the draw of turn {turn}")
        faces = self._draws[turn]
        dice = self.rules.dice_of(position)
        return dice.outcome(faces) if faces else dice.free

    def _read_draw(self, line: str) -> None:
        """Read a line `draw TURN COLOUR FACE...` or `agreed TURN set_dice DICE`. Raises NotationError for others."""
        try:
            word, turn, _, *faces = line.split()
            if word == "agreed":
                self._agreed[int(turn)] = read_dice(*faces)
            else:
                self._draws[int(turn)] = read_faces(faces)
        except ValueError as error:
            raise NotationError(f"{line[:_LONGEST_SHOWN]}: {error}") from None

    def follow(self, steps: Sequence[str]) -> ReplayFault | None:
        # Playing a move needs the next turn's throw, which may be reported after the move, so read all throws first.
        self._draws.clear()
        for line in steps:
            if line.startswith(("agreed ", "draw ")):
                with suppress(NotationError):
                    self._read_draw(line)
        return super().follow(steps)

    def _play(self, step: str) -> None:
        match step.split():
            case ["play", colour, word, *_]:
                self.table.play(read_colour(colour), read_move(self.rules.board, word))
            case ["agreed" | "draw", *_]:
                self._read_draw(step)
            case _:
                raise NotationError(f"{step[:_LONGEST_SHOWN]}: expected a draw or a move")


class HiddenReplay(GameReplay):
    """A seat of a hidden game that follows `hear` lines."""

    def _restart(self) -> None:
        self._seat: RefereedSeat | None = None

    def _play(self, step: str) -> None:
        if self._seat is not None:
            self._seat.hear(step.split()[1:])

    def has_seat(self, colour: int) -> bool:
        return self._seat is not None

    def seat(self, colour: int, player: Player, seed: str) -> None:
        self._seat = RefereedSeat(self.rules, colour, player, seed)
        for line in self.steps:
            self._play(line)

    def choose(self, colour: int, clock: Clock) -> int:
        assert self._seat is not None
        return self._seat.ask(colour, clock)

    def why_not(self, colour: int, action: int) -> str:
        assert self._seat is not None
        if action == RESIGN or self._seat.is_over:
            return ""
        view = self._seat.view
        if action in view.tried:
            return "it was refused in this turn"
        return "" if action in view.actions else "it is illegal as far as the seat knows"
