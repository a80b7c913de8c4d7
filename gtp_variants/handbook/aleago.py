"""Aléago in words. Source: 000_b028ddfe0fa096f3.txt; the names of its parts are cited below."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, colour, counted, listing, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Plan, Section, Table, choices, spec_of
from gtp_variants.rules.diced import DiceKind, Faces
from gtp_variants.rules.games.aleago import TABLE, AleagoRules


def sections(rules: AleagoRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(t("heading_what_need"), tuple(_material(rules)))
    yield Section(t("heading_drawing_line"), tuple(_line(rules)))
    yield Section(t("heading_no_room_left"), tuple(_room(rules)))
    yield Section(
        t("heading_capture_repetition"),
        (t("usual"), common.CHAINS, common.capture(rules), common.repetition(rules), common.capture_figure()),
    )
    yield Section(
        t("heading_passing_end_count"),
        (t("pass"), _end(rules), common.score(rules)),
    )
    yield Section(t("heading_what_changes"), (_CHANGES,))
    yield choices(rules, _OPTIONS)


def dice_words(dice: DiceKind) -> Both:
    """ "2 dice with 6 faces"."""
    number = counted(dice.count, ("die", "dice"), ("dé", "dés"))
    faces = counted(dice.sides, ("face", "faces"), ("face", "faces"))
    return t("with", number=number, faces=faces, dice=dice)


def _material(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Matériel", "Dés et goban"."""
    size, dice = rules.values["size"], dice_words(rules.dice)
    yield t("go_with_dice_before", size=size, dice=dice)
    yield t("usual_pairs_dice_goban")
    yes, no = t("yes"), t("no")
    yield Table(
        (t("dice"), t("goban"), t("star")),
        tuple((Both(name, name), t("x", n=n), yes if star else no) for name, n, star in TABLE),
    )


# -- the line ---------------------------------------------------------------------------------------------------------


def _line(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Tirage de la ligne", "Dés et goban", "Variantes"."""
    yield paragraph(t("draw") if rules.dice.count == 1 else t("draw_sum"), _lines(rules))
    yield Plan(_map(rules))
    yield t("empty_goban_totals_open")
    yield Items(tuple(map(_opens, _throws(rules))))
    told = [*_unreached(rules), *_agreements(rules)]
    if told:
        yield paragraph(*told)
    yield _draw_figure(rules)




def _lines(rules: AleagoRules) -> Both:
    """What the lines are."""
    if rules.mapping not in ("concentric", "original"):
        return t("which_number_opens_which")
    middle = t("tengen") if rules.board.width % 2 else _FOUR
    squares = t("lines_concentric_squares_have", middle=middle)
    if rules.mapping == "concentric":
        return squares
    return paragraph(t("original"), t("no_tengen") if 0 in rules.lines else None, squares)


_FOUR = t("four")
# Source: "Répartition originelle".


def _map(rules: AleagoRules) -> tuple[str, ...]:
    """The number of every point, row by row from the top."""
    side, width = rules.board.width, len(str(max(rules.lines)))
    signs = [str(line or ".").rjust(width) for line in rules.lines]
    return tuple(" ".join(signs[start : start + side]) for start in range(len(signs) - side, -1, -side))


@dataclass(frozen=True, slots=True)
class Throw:
    """Totals from `low` to `high` that open the same: `kind` is own, lines, below, all, again or none."""

    low: int
    high: int
    kind: str
    lines: tuple[int, ...] = ()


def _throws(rules: AleagoRules) -> list[Throw]:
    """What each total opens on the empty goban, equal neighbours together."""
    found: list[Throw] = []
    for total in range(rules.dice.count, rules.dice.highest + 1):
        kind, lines = _opened(rules, faces_of(rules.dice, total))
        last = found[-1] if found else None
        if last is not None and (last.kind, last.lines) == (kind, lines):
            found[-1] = replace(last, high=total)
        else:
            found.append(Throw(total, total, kind, lines))
    return found


def faces_of(dice: DiceKind, total: int) -> Faces:
    """Faces that make a total."""
    faces: list[int] = []
    for left in range(dice.count - 1, -1, -1):
        faces.append(min(dice.sides, total - sum(faces) - left))
    return tuple(faces)


def _opened(rules: AleagoRules, faces: Faces) -> tuple[str, tuple[int, ...]]:
    if not rules.stands_as_thrown(rules.dice, faces):
        return "again", ()
    if rules.opens_whole_board(rules.dice, faces):
        return "all", ()
    position = replace(rules.start(), draws=(rules.dice.outcome(faces),))
    lines = rules.open_lines(position) or ()
    drawn = rules.drawn_lines(rules.dice, faces)
    if not lines:
        return "none", ()
    if not drawn:
        return "below", lines
    return ("own", ()) if lines == (sum(faces),) else ("lines", lines)


def _opens(throw: Throw) -> Both:
    """ "1 to 5: the line of that number"."""
    several = throw.low != throw.high
    totals = Both(*(f"{throw.low} {word} {throw.high}" if several else str(throw.low) for word in ("to", "à")))
    lines = listing(throw.lines)
    many = len(throw.lines) > 1
    english, french = {
        "own": ("the line of that number", "la ligne de ce numéro"),
        "lines": (f"line{'s' * many} {lines.en}", f"{'les lignes' if many else 'la ligne'} {lines.fr}"),
        "below": (
            f"line {lines.en}, for there is no line of that number and the next one below serves",
            f"la ligne {lines.fr}, car il n'y a pas de ligne de ce numéro et la plus proche au-dessous en tient lieu",
        ),
        "all": (
            "the whole goban, as agreed for the highest double",
            "tout le goban, comme convenu pour le grand double",
        ),
        "again": ("nothing, throw again", "rien, relancez"),
        "none": ("nothing, you must pass", "rien, vous devez passer"),
    }[throw.kind]
    return t("x_2", totals=totals, english=english, french=french)


def _unreached(rules: AleagoRules) -> Iterator[Both]:
    """The star, and the lines that no total opens. Source: "Dés et goban", *."""
    dice = rules.dice
    starred = [line for line in rules.drawn_lines(dice, faces_of(dice, dice.highest)) if line != dice.highest]
    if starred:
        yield t("star_highest_total_also", highest=dice.highest)
    left = _unnamed(rules)
    low = [line for line in left if line < dice.count and rules.mapping != "original"]
    if low:
        names, many = listing(low), len(low) > 1
        yield Both(
            f"Line{'s' * many} {names.en} can be reached only when the lines above have no room.",
            f"On n'accède {'aux lignes' if many else 'à la ligne'} {names.fr} que si les lignes plus hautes n'ont plus "
            "de place.",
        )
    closed = [line for line in left if line not in low]
    if closed:
        names, many = listing(closed), len(closed) > 1
        yield Both(
            f"No throw ever opens line{'s' * many} {names.en}.",
            f"Aucun tirage n'ouvre jamais {'les lignes' if many else 'la ligne'} {names.fr}.",
        )


def _unnamed(rules: AleagoRules) -> list[int]:
    """The lines that no throw opens by itself."""
    dice = rules.dice
    throws = [faces_of(dice, total) for total in range(dice.count, dice.highest + 1)]
    if any(rules.opens_whole_board(dice, faces) for faces in throws):
        return []
    named = {line for faces in throws for line in rules.drawn_lines(dice, faces)}
    return [line for line in rules.on_line if line not in named]


def _agreements(rules: AleagoRules) -> Iterator[Both]:
    """Source: "Variantes"; "Vers la fin de la partie, les joueurs peuvent décider de n'utiliser qu'un seul dé"."""
    if rules.free_player is not None:
        name = colour(rules.free_player)
        yield t("handicap_throws_no_dice", name=name)
    if rules.values["crystal_ball"]:
        yield t("crystal_ball")
    if rules.dice.count > 1:
        yield t("towards_end_game_players")




def _draw_figure(rules: AleagoRules) -> Figure:
    """The start under the highest total that opens something, or the highest that stands if none does."""
    standing = [throw for throw in _throws(rules) if throw.kind != "again"]
    opening = [throw for throw in standing if throw.kind != "none"]
    total = (opening or standing)[-1].high
    opened = t("points_marked_open")
    if not opening:
        opened = t("no_point_open")
    spec = spec_of(rules, free_player="none", crystal_ball="false")
    faces = " ".join(map(str, faces_of(rules.dice, total)))
    return Figure(
        "draw",
        paragraph(t("black_has_thrown", total=total), opened),
        (Diagram(spec, f"chance {faces}"),),
    )


# -- when there is no room, and the end -------------------------------------------------------------------------------


def _room(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Plus de place ?"; "Répartition originelle": "S'il n'y a plus de place, on est obligé de passer"."""
    if rules.mapping == "original":
        yield t("when_every_point_line")
        return
    ko = _KO_GIVES_NO_ROOM if rules.values["fallback_ko"] else _KO_IS_ROOM
    yield paragraph(
        t("when_every_point_opened"),
        None if rules.repetition == "none" else ko,
    )
    yield t("what_counts_what_allowed")
    yield Figure(
        "below",
        t("small_goban_with_1d3"),
        (Diagram("aleago:size=5,dice=1d3", "chance 3, b C3, chance 3"),),
    )


_KO_GIVES_NO_ROOM = t("ko_gives_no_room")
_KO_IS_ROOM = t("ko_is_room")
# Source: "Aux règles que vous utilisez habituellement, on ajoute le tirage".
# Source: "Passer".


def _end(rules: AleagoRules) -> Both:
    """Source: "Passer": "ils ne font qu'attendre un tirage jouable"; "le deuxième joueur voulant passer"."""
    passes = counted(rules.end_passes, ("pass", "passes"), ("passe", "passes"))
    english, french = f"After {passes.en}", f"Après {passes.fr}"
    if rules.end_passes > 1:
        english, french = f"{english} in a row", f"{french} d'affilée"
    if rules.reopens:
        return t("game_only_suspended_players", english=english, french=french)
    return t("game_over_at_once", english=english, french=french)


# Source: "Ce que ça change".
_CHANGES = Items(
    (
        t("changes_cuts_can_no_longer"),
        t("changes_eyes_vital_eye_high"),
    )
)

_OPTIONS = common.OPTIONS | {
    "dice": t("option_dice"),
    "star": t("option_star"),
    "star_lines": t("option_star_lines"),
    "overflow": t("option_overflow"),
    "fallback_ko": t("option_fallback_ko"),
    "double_whole_board": t("option_double_whole_board"),
    "mapping": t("option_mapping"),
    "end_passes": t("option_end_passes"),
    "agreement": t("option_agreement"),
    "free_player": t("option_free_player"),
    "crystal_ball": t("option_crystal_ball"),
}
