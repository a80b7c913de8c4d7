"""The chapter on Aléago. Source: 000_b028ddfe0fa096f3.txt, whose headings are cited below."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Plan, Section, TextTable, choices, play, spec_of
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph, verbatim
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice import DiceKind, Faces, read_dice
from gtp_variants.rules.games.aleago import TABLE, AleagoRules
from gtp_variants.rules.options import text_of

t = Sentences("aleago")


def sections(rules: AleagoRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    yield Section(t("heading_what_need"), tuple(_material(rules)))
    yield Section(t("heading_drawing_line"), tuple(_line(rules)))
    yield Section(t("heading_no_room_left"), tuple(_room(rules)))
    yield Section(
        t("heading_capture_repetition"),
        # Source: "Aux règles que vous utilisez habituellement, on ajoute le tirage".
        (t("usual"), common.CHAINS, common.capture(rules), common.repetition(rules), common.CAPTURE),
    )
    yield Section(t("heading_passing_end_count"), (t("pass"), _end(rules), common.score(rules)))
    yield Section(t("heading_what_changes"), (_CHANGES,))
    yield choices(rules, t)


def _material(rules: AleagoRules) -> Iterator[Part]:
    """Yield the parts on the equipment. Source: "Matériel", "Dés et goban"."""
    dice = rules.dice
    number, faces = t.count("number_dice", dice.count), t.count("number_faces", dice.sides)
    yield t("material", size=rules.values["size"], dice=t("dice_with_faces", number=number, faces=faces, dice=dice))
    yield t("usual_pairs")
    yes, no = t("yes"), t("no")
    yield TextTable(
        (t("column_dice"), t("column_goban"), t("column_star"), t("column_double")),
        tuple(
            (verbatim(name), t("goban_size", n=n), yes if star else no, yes if read_dice(name).count > 1 else no)
            for name, n, star in TABLE
        ),
    )
    # Source: "Dés et goban", **.
    yield t("double_agreed" if rules.values["double_whole_board"] else "double_may_be_agreed")


# -- the line ---------------------------------------------------------------------------------------------------------


def _line(rules: AleagoRules) -> Iterator[Part]:
    """Yield the parts on the draw. Source: "Tirage de la ligne", "Dés et goban", "Variantes"."""
    yield paragraph(t("draw" if rules.dice.count == 1 else "draw_sum"), _lines(rules))
    yield Plan(_map(rules))
    yield t("totals_open")
    yield Items(tuple(map(_opens, _throws(rules))))
    told = [*_describe_rare_lines(rules), *_agreements(rules)]
    if told:
        yield paragraph(*told)
    yield _draw_figure(rules)


def _lines(rules: AleagoRules) -> Text:
    """Describe the lines of the board. Source: "Répartition originelle"."""
    if rules.mapping not in ("concentric", "original"):
        return t("lines_map")
    squares = t("lines_squares", middle=t("middle_tengen" if rules.board.width % 2 else "middle_four"))
    if rules.mapping == "concentric":
        return squares
    return paragraph(t("lines_original"), t("no_tengen") if 0 in rules.lines else None, squares)


def _map(rules: AleagoRules) -> tuple[str, ...]:
    """Return a map with the line of every point, row by row from the top."""
    side, width = rules.board.width, len(str(max(rules.lines)))
    signs = [str(line or ".").rjust(width) for line in rules.lines]
    return tuple(" ".join(signs[start : start + side]) for start in range(len(signs) - side, -1, -side))


@dataclass(frozen=True, slots=True)
class Throw:
    """A range of totals, from `low` to `high`, that have the same effect.

    `kind`: own (opens its own line), lines (opens `lines`), below (opens lower `lines`), all, again (rethrow) or none.
    """

    low: int
    high: int
    kind: str
    lines: tuple[int, ...] = ()


def _throws(rules: AleagoRules) -> list[Throw]:
    """Return the effect of each total on the empty board, with neighbouring totals joined if their effect is equal."""
    found: list[Throw] = []
    for total in range(rules.dice.count, rules.dice.highest + 1):
        kind, lines = _find_opening(rules, faces_of(rules.dice, total))
        last = found[-1] if found else None
        if last is not None and (last.kind, last.lines) == (kind, lines):
            found[-1] = replace(last, high=total)
        else:
            found.append(Throw(total, total, kind, lines))
    return found


def faces_of(dice: DiceKind, total: int) -> Faces:
    """Return faces of the dice that add up to a given total."""
    faces: list[int] = []
    for left in range(dice.count - 1, -1, -1):
        faces.append(min(dice.sides, total - sum(faces) - left))
    return tuple(faces)


def _find_opening(rules: AleagoRules, faces: Faces) -> tuple[str, tuple[int, ...]]:
    if not rules.line_table.stands_as_thrown(rules.dice, faces):
        return "again", ()
    if rules.line_table.opens_whole_board(rules.dice, faces):
        return "all", ()
    position = replace(rules.start(), draws=(rules.dice.outcome(faces),))
    lines = rules.open_lines(position) or ()
    drawn = rules.line_table.drawn_lines(rules.dice, faces)
    if not lines:
        return "none", ()
    if not drawn:
        return "below", lines
    return ("own", ()) if lines == (sum(faces),) else ("lines", lines)


def _opens(throw: Throw) -> Text:
    """Return a text such as "1 to 5: the line of that number"."""
    totals = t("total_range", low=throw.low, high=throw.high) if throw.low != throw.high else throw.low
    kind = "line" if throw.kind == "lines" and len(throw.lines) == 1 else throw.kind
    return t(f"total_opens_{kind}", totals=totals, lines=throw.lines)


def _describe_rare_lines(rules: AleagoRules) -> Iterator[Text]:
    """Describe the star, and the lines that no total opens. Source: "Dés et goban", where * is the star."""
    dice = rules.dice
    starred = [
        line for line in rules.line_table.drawn_lines(dice, faces_of(dice, dice.highest)) if line != dice.highest
    ]
    if starred:
        yield t("star", highest=dice.highest)
    left = _lines_without_draw(rules)
    low = [line for line in left if line < dice.count and rules.mapping != "original"]
    if low:
        yield t("low_lines" if len(low) > 1 else "low_line", lines=low)
    closed = [line for line in left if line not in low]
    if closed:
        yield t("closed_lines" if len(closed) > 1 else "closed_line", lines=closed)


def _lines_without_draw(rules: AleagoRules) -> list[int]:
    """Return the lines that no throw opens directly."""
    dice = rules.dice
    throws = [faces_of(dice, total) for total in range(dice.count, dice.highest + 1)]
    if any(rules.line_table.opens_whole_board(dice, faces) for faces in throws):
        return []
    named = {line for faces in throws for line in rules.line_table.drawn_lines(dice, faces)}
    return [line for line in rules.on_line if line not in named]


def _agreements(rules: AleagoRules) -> Iterator[Text]:
    """Describe variants on which the players may agree, as far as the options allow.

    Source: "Variantes"; "Vers la fin de la partie, les joueurs peuvent décider de n'utiliser qu'un seul dé".
    """
    if rules.free_player is not None:
        yield t("handicap", name=colour(rules.free_player))
    if rules.values["crystal_ball"]:
        yield t("crystal_ball")
    if rules.dice.count > 1:
        yield t("single_die")


def _draw_figure(rules: AleagoRules) -> Figure:
    """Draw the start with the highest total that opens points, or else the highest that need not be thrown again."""
    standing = [throw for throw in _throws(rules) if throw.kind != "again"]
    opening = [throw for throw in standing if throw.kind != "none"]
    total = (opening or standing)[-1].high
    opened = t("points_open" if opening else "no_point_open")
    # On a board of one point nobody can place a stone, so Black must be the player who throws.
    spec = spec_of(rules) if len(rules.board) > 1 else spec_of(rules, free_player="none")
    # If Black plays without dice, Black first places a stone in the corner, so that White throws.
    corner = "A1" if rules.free_player == BLACK and len(rules.board) > 1 else ""
    moves, thrower = _throw(spec, faces_of(rules.dice, total), corner)
    return Figure(
        "draw", paragraph(t("draw_caption", total=total, name=colour(thrower)), opened), (Diagram(spec, moves),)
    )


def _throw(spec: str, faces: Faces, *stones: str) -> tuple[str, int]:
    """Return the events up to the throw after the last of `stones`, and who throws. Every throw shows `faces`."""
    moves: list[str] = []
    thrower = BLACK
    for stone in (*filter(None, stones), ""):
        position = play(spec, ", ".join(moves)).position
        while position.to_play == CHANCE:
            moves.append(f"chance {' '.join(map(str, faces))}")
            position = play(spec, ", ".join(moves)).position
        thrower = position.to_play
        if stone:
            moves.append(f"{COLOUR_LETTERS[thrower]} {stone}")
    return ", ".join(moves), thrower


# -- when there is no room, and the end -------------------------------------------------------------------------------


def _room(rules: AleagoRules) -> Iterator[Part]:
    """Yield the parts on a draw that leaves no room for a stone.

    Source: "Plus de place ?"; "Répartition originelle": "S'il n'y a plus de place, on est obligé de passer".
    """
    if rules.mapping == "original":
        yield t("room_original")
        return
    ko = t("ko_gives_no_room" if rules.values["fallback_ko"] else "ko_is_room")
    yield paragraph(t("room"), None if rules.repetition == "none" else ko)
    yield t("room_allowed")
    who = f"free_player={text_of(rules.values['free_player'])},crystal_ball={text_of(rules.values['crystal_ball'])}"
    spec = f"aleago:size=5,dice=1d3,{who}"
    # If White plays without dice, Black plays tengen first, and throws again after White's stone.
    moves, thrower = _throw(spec, (3,), "C3", "A1" if rules.free_player == WHITE else "")
    yield Figure("below", t("below_caption", name=colour(thrower)), (Diagram(spec, moves),))


def _end(rules: AleagoRules) -> Text:
    """Describe the end of the game.

    Source: "Passer": "ils ne font qu'attendre un tirage jouable"; "le deuxième joueur voulant passer".
    """
    passes = t.count("end_passes", rules.end_passes)
    return t("end_suspended" if rules.reopens else "end_over", passes=passes)


# Source: "Ce que ça change".
_CHANGES = Items(tuple(map(t, ("changes_cuts", "changes_life", "changes_eyes", "changes_handicap"))))
