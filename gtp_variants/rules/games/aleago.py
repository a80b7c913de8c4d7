"""Aléago: Go with dice. Before every turn a throw decides on which line, counted from the edge, a stone may go.

Source: the file 000_b028ddfe0fa096f3.txt of the specification, "Aléago".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gtp_variants.errors import IllegalMove, NotationError
from gtp_variants.rules.actions import BLACK, CHANCE, PASS, WHITE
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.dice import DiceKind, LineTable, dice_of_code, lines_of, read_dice, read_mapping
from gtp_variants.rules.games.go import GoFamily, GoPosition, kernel_facts_of_go, other_of_two
from gtp_variants.rules.illegal_moves import explain, illegal
from gtp_variants.rules.languages import format_list
from gtp_variants.rules.options import Option, OptionSet, Value, rule_options, spec_error, text_of
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.rule_sets import RULE_SETS
from gtp_variants.rules.traits import DicedRules

# Source: "Dés et goban": dice, board size, True if the row is marked * (the highest total opens the other lines too).
TABLE = (
    ("1d4", 9, True),
    ("1d6", 13, True),
    ("1d8", 19, True),
    ("1d10", 19, False),
    ("2d4", 19, True),
    ("2d6", 19, False),
)


def dice_of_size(size: int) -> str:
    """Return the dice in the first row of `TABLE` for a board size, or 1d6 for a size without a row."""
    return next((dice for dice, row_size, _ in TABLE if row_size == size), "1d6")


def _default_star(values: dict[str, Value]) -> bool:
    dice, size, mapping = text_of(values["dice"]), values["size"], text_of(values.get("mapping", "concentric"))
    if mapping == "original":
        return False
    if mapping == "concentric":
        for row_dice, row_size, star in TABLE:
            if (row_dice, row_size) == (dice, size):
                return star
    assert isinstance(size, int)
    kind = read_dice(dice)
    return any(line and not kind.count <= line <= kind.highest for line in lines_of(size, mapping))


def _without_star(values: dict[str, Value]) -> dict[str, Value]:
    # Source: "Répartition originelle": "S'il n'y a plus de place, on est obligé de passer", so there is no star.
    return {**values, "star": False} if values["mapping"] == "original" else values


_SIX = DiceKind(1, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class AleagoPosition(GoPosition):
    """A position of Aléago."""

    dice: DiceKind = _SIX  # the dice in force; they can change by agreement
    draws: tuple[int, ...] = ()  # draws of this turn and the next, in order: outcome numbers, or `dice.free`
    casts: tuple[int, int] = (0, 0)  # how many times the dice of these two turns were changed and thrown again
    slots: int = 1  # draws that must be known before a stone: 2 with the crystal ball, else 1
    final: bool = False  # True if the game is over and cannot continue

    @property
    def to_play(self) -> int:
        return CHANCE if len(self.draws) < self.slots and not self.final else self.mover


def _kernel_facts(rules: "AleagoRules") -> dict[str, object]:
    return {
        **kernel_facts_of_go(rules),
        "lines": rules.lines,
        "dice": (rules.dice.count, rules.dice.sides),
        "star": rules.line_table.star,
        "star_inner": rules.line_table.star_inner,
        "overflow": rules.values["overflow"],
        "fallback_ko": rules.values["fallback_ko"],
        "double_whole_board": rules.line_table.double_opens_all,
        "has_fallback": rules.has_fallback,
        "free_player": rules.free_player or 0,
        "slots": rules.slots,
    }


PROFILE = GameProfile(
    small_spec="aleago:size=9",
    bench_specs=("aleago:size=9", "aleago:size=13", "aleago:size=19"),
    fits_go_hosts=True,
    captures_as_go=True,
    chat_titles={"en": "Aleago (dice go)", "fr": "Aléago (go aux dés)"},
    chat_rules=(
        "This is Aleago, Go with dice. I throw before each turn. The number is a line, counted from the edge, and the "
        "next stone must go on it. If no point there is open, the line below counts.",
        "C'est Aléago, le go aux dés. Je lance avant chaque tour. Le nombre désigne une ligne, comptée depuis le bord, "
        "où la pierre doit se poser. Si aucun point n'y est ouvert, la ligne en dessous compte.",
    ),
    expected_turns_a_point=1.75,
    resign_threshold=0.02,
    resign_turns=5,
    # These playout rules do not help, because an atari can be answered only if the dice allow it.
    search_defaults={"atari": False, "shapes": False},
    network_search_defaults=lambda rules: {"chance_values": True, "playout_weight": 0.5},
    point_classes=lambda rules: rules.lines,
    kernel_game="aleago",
    kernel_facts=_kernel_facts,
)


class AleagoRules(GoFamily[AleagoPosition], DicedRules[AleagoPosition]):
    """Go with dice. A CHANCE action is the number of an outcome, or `position.dice.free`, which opens every line."""

    name = "aleago"
    title = "Aléago"
    aliases = ("aléago",)
    profile = PROFILE
    options = OptionSet(
        (
            Option.size(13),
            Option(
                "dice",
                "text",
                lambda values: dice_of_size(int(text_of(values["size"]))),
                "dice thrown before every turn",
                read=lambda text: str(read_dice(text)),
            ),
            Option("star", "bool", _default_star, "the highest total also opens every line that no total can name"),
            Option.choice(
                "star_lines",
                ("all", "inner"),
                "lines without a total that the star opens: all, or only lines beyond the highest total",
            ),
            Option.choice(
                "overflow",
                ("fallback", "reroll", "pass"),
                "a total beyond the last line: fallback to the lines below, reroll, or pass",
            ),
            Option("fallback_ko", "bool", True, "a point forbidden by repetition gives no room"),
            Option("double_whole_board", "bool", False, "the highest double opens the whole board"),
            Option(
                "mapping",
                "text",
                "concentric",
                "the number that opens each point: concentric; original: without the centre, star and fallback; "
                "or rows of numbers from the top, 1.1.1/1.2.1/1.1.1",
                choices=("concentric", "original"),
                read=read_mapping,
            ),
            Option("end_passes", "int", 2, "passes in a row that end or suspend the game", low=1, high=1000),
            Option("agreement", "bool", True, "passes only suspend the game until both sides agree"),
            Option("free_player", "choice", None, "the colour that plays without dice", choices=("b", "w"), none=True),
            Option("crystal_ball", "bool", False, "the other side's next draw is known, too"),
            Option.komi(),
            Option.repetition("ssk"),
            Option.dead(),
            *rule_options(),
            Option.lang(),
        ),
        rule_sets=RULE_SETS,
        fit=_without_star,
    )

    def configure(self) -> None:
        values = self.values
        self.end_passes = values.number("end_passes")
        self.reopens = bool(values["agreement"])
        super().configure()
        self.dice = read_dice(values.text("dice"))
        self.mapping = values.text("mapping")
        self.lines = lines_of(values.number("size"), self.mapping)
        self.on_line = {
            line: tuple(point for point, there in enumerate(self.lines) if there == line)
            for line in sorted(set(self.lines) - {0})
        }
        self.free_player = {"b": BLACK, "w": WHITE}.get(values.text("free_player"))
        self.slots = 2 if values["crystal_ball"] else 1
        self.has_fallback = self.mapping != "original"
        self._overflow_passes = values["overflow"] == "pass"
        self._ko_leaves_room = not values["fallback_ko"]
        self.line_table = LineTable(
            lines=tuple(self.on_line),
            star=bool(values["star"]),
            star_inner=values["star_lines"] == "inner",
            double_opens_all=bool(values["double_whole_board"]),
            rerolls=values["overflow"] == "reroll",
        )
        if not self.line_table.outcomes(self.dice):
            raise spec_error("no total", dice=self.dice)

    # -- dice --------------------------------------------------------------------------------------------------------

    @classmethod
    def usual_dice(cls, size: int) -> tuple[str, ...]:
        return tuple(dice for dice, row_size, _ in TABLE if row_size == size) or (dice_of_size(size),)

    def dice_of(self, position: AleagoPosition) -> DiceKind:
        return position.dice

    def cast(self, position: AleagoPosition, slot: int) -> int:
        return position.casts[slot]

    def with_draws(self, position: AleagoPosition, draws: tuple[int, ...]) -> AleagoPosition:
        return replace(position, draws=draws, casts=position.casts if draws else (0, 0))

    def throw(self, position: AleagoPosition, action: int) -> AleagoPosition:
        dice = position.dice
        if action > dice.free:
            throws = f"{dice} has {dice.outcomes} outcomes, 0 to {dice.outcomes - 1}"
            raise NotationError(f"{throws}, and {dice.free} opens every line: there is no number {action}")
        if action < dice.free and not self.line_table.stands_as_thrown(dice, dice.faces(action)):
            raise NotationError(f"a total of {sum(dice.faces(action))} names no line, so these dice are thrown again")
        return self._with_free(replace(position, draws=(*position.draws, action)))

    def _with_free(self, position: AleagoPosition) -> AleagoPosition:
        """Return the position with the draws of the free player filled in, each as `dice.free`."""
        draws = position.draws
        while len(draws) < position.slots and self.owner(position, len(draws)) == self.free_player:
            draws = (*draws, position.dice.free)
        return position if draws is position.draws else replace(position, draws=draws)

    def set_dice(self, position: AleagoPosition, code: int) -> AleagoPosition:
        kind = dice_of_code(code)
        if self.is_suspended(position):
            raise illegal("game over", self.lang)
        if not self.line_table.outcomes(kind):
            raise NotationError(spec_error("no total", dice=kind).reason(self.lang))
        # Throw this turn's dice again, and with the crystal ball also the next turn's.
        casts = (position.casts[0] + 1, position.casts[1] + 1 if position.slots > 1 else 0)
        return self._with_free(replace(position, dice=kind, draws=(), casts=casts))

    # -- lines -------------------------------------------------------------------------------------------------------

    def before_next_draw(self, position: AleagoPosition) -> AleagoPosition:
        # Each known draw is for a turn still to come, and turns alternate: after one draw the next is the other side's.
        mover = other_of_two(position.mover) if len(position.draws) % 2 else position.mover
        before = position.stones if position.draws else position.before
        return replace(position, mover=mover, before=before, draws=(), final=False, passes=0)

    def open_lines(self, position: AleagoPosition) -> tuple[int, ...] | None:
        # Source: "Tirage de la ligne", "Plus de place ?".
        action = position.draws[0]
        dice = position.dice
        if action == dice.free:
            return None
        faces = dice.faces(action)
        if self.line_table.opens_whole_board(dice, faces):
            every = tuple(self.on_line)
            return every if self._has_room(position, every) else ()
        drawn = self.line_table.drawn_lines(dice, faces)
        if drawn and self._blocks(position, drawn):
            return drawn if self._has_room(position, drawn) else ()
        if not self.has_fallback or (not drawn and self._overflow_passes):
            return ()
        for line in range(sum(faces) - 1, 0, -1):
            if line in self.on_line and self._blocks(position, (line,)):
                return (line,) if self._has_room(position, (line,)) else ()
        return ()

    def _has_room(self, position: AleagoPosition, lines: Sequence[int], by_repetition: bool = True) -> bool:
        return any(True for line in lines for _ in self.legal_points(position, self.on_line[line], by_repetition))

    def _blocks(self, position: AleagoPosition, lines: Sequence[int]) -> bool:
        """Return True if these lines have room, so that no lower line opens; `fallback_ko` decides about repetition."""
        return self._has_room(position, lines, by_repetition=not self._ko_leaves_room)

    # -- playing -----------------------------------------------------------------------------------------------------

    def first_position(self, stones: bytes, mover: int, history: History) -> AleagoPosition:
        first = AleagoPosition(board=self.board, stones=stones, mover=mover, before=stones, history=history)
        return self._with_free(replace(first, dice=self.dice, slots=self.slots))

    def actions(self, position: AleagoPosition) -> Sequence[int]:
        if self.is_final(position):
            return ()
        if position.to_play == CHANCE:
            return [*self.line_table.outcomes(position.dice), position.dice.free]
        return (*self.open_points(position), PASS)

    def open_points(self, position: AleagoPosition) -> list[int]:
        open_lines = self.open_lines(position)
        if open_lines is None:
            return list(self.legal_points(position))
        return sorted(self.legal_points(position, [point for line in open_lines for point in self.on_line[line]]))

    def points_of_any_draw(self, position: AleagoPosition) -> list[int]:
        return list(self.legal_points(position))

    def put(self, position: AleagoPosition, point: int) -> AleagoPosition:
        moved = super().put(position, point)
        faces = self.faces(position, position.draws[0])
        # A legal stone on a drawn line proves that the line has room, so only other lines need a check.
        if faces and self.lines[point] not in self.line_table.drawn_lines(position.dice, faces):
            open_lines = self.open_lines(position)
            assert open_lines is not None
            if self.lines[point] not in open_lines:
                raise self._off_line(point, open_lines)
        return self._advance_draws(moved)

    def _off_line(self, point: int, open_lines: tuple[int, ...]) -> IllegalMove:
        key = {0: "no line", 1: "line"}.get(len(open_lines), "lines")
        sentence = explain(
            key,
            self.lang,
            vertex=self.board.vertex(point),
            line=self.lines[point],
            open=format_list(open_lines, self.lang),
        )
        return IllegalMove("line", sentence)

    def pass_turn(self, position: AleagoPosition) -> AleagoPosition:
        return self._advance_draws(super().pass_turn(position))

    def _advance_draws(self, position: AleagoPosition) -> AleagoPosition:
        """Return the position without the draw of the turn that has ended."""
        final = self.is_final(position)
        moved = replace(position, draws=position.draws[1:], casts=(position.casts[1], 0), final=final)
        return moved if final else self._with_free(moved)

    def settle_end(self, position: AleagoPosition) -> AleagoPosition:
        return replace(super().settle_end(position), final=True)

    def leave(self, position: AleagoPosition, action: int, actor: int) -> AleagoPosition:
        return replace(super().leave(position, action, actor), final=True)

    def turn_to(self, position: AleagoPosition, colour: int) -> AleagoPosition:
        # A draw belongs to a turn, not to a colour, so the new side to move keeps it. The exception is `dice.free`,
        # which only the free player's turns have.
        moved = super().turn_to(position, colour)
        if self.free_player is None:
            return moved
        kept: list[int] = []
        for slot, draw in enumerate(moved.draws):
            if (draw == moved.dice.free) != (self.owner(moved, slot) == self.free_player):
                break
            kept.append(draw)
        return self._with_free(replace(moved, draws=tuple(kept)))
