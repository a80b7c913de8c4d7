"""Pentalath in words. Source: 004_245878c87de04f55.txt; the names of its parts are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook.both import Both, colour, counted, listed, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, spec_of
from gtp_variants.rules.games.pentalath import PentalathRules


def sections(rules: PentalathRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(t("heading_aim"), tuple(_aim(rules)))
    yield Section(t("heading_playing"), tuple(_playing(rules)))
    yield Section(t("heading_capture"), tuple(_capture(rules)))
    yield Section(t("heading_no_suicide"), (t("no_suicide"), _suicide_figure(rules)))
    yield Section(t("heading_other_ends"), (_no_move(rules), _repetition(rules)))
    yield Section(t("heading_advice"), (t("advice"),))
    yield choices(rules, _OPTIONS)


def _is_three(rules: PentalathRules) -> bool:
    return len(rules.colours) > 2


def _aim(rules: PentalathRules) -> Iterator[Part]:
    """Source: "EQUIPMENT", "OBJECTIVE"."""
    cells = len(rules.board)
    shape = _SHAPES[str(rules.values["board"])]
    yield paragraph(
        t("make_line_five_pieces"),
        t("board_cells_each_player", shape=shape, cells=cells),
        _supply(rules),
    )
    yield Figure(
        "five",
        t("white_wins_b3_f3"),
        (Diagram(_two(rules), "w C3, b A1, w D3, b B1, w E3, b G6, w F3, b G7, w B3"),),
    )


_SHAPES = {
    "trapezoid": t("shapes_trapezoid"),
    "hexhex5": t("shapes_hexhex5"),
}


def _supply(rules: PentalathRules) -> Both:
    """Source: "Each player, White and Black, has 40 discs of their colour"."""
    if rules.supply is None:
        return t("there_always_discs_enough")
    discs = counted(rules.supply, ("disc", "discs"), ("disque", "disques"))
    return t("each_colour_has_captured", discs=discs)


def _two(rules: PentalathRules) -> str:
    """This board for two players."""
    return f"pentalath:board={rules.values['board']}"


def _playing(rules: PentalathRules) -> Iterator[Part]:
    """Source: "PLAY", "THREE PLAYERS"; the swap is the author's own option elsewhere."""
    order = listed(colour(each) for each in rules.colours)
    players = len(rules.colours)
    yield paragraph(
        t("players_this_order_board", players=players, order=order),
        t("pass_if_blocked") if rules.no_move == "pass" else t("no_pass"),
        t("swap") if rules.values["swap"] and not _is_three(rules) else None,
    )
    yield Figure("start", t("empty_board"), (Diagram(spec_of(rules)),))




def _capture(rules: PentalathRules) -> Iterator[Part]:
    """Source: "CAPTURE", "THREE PLAYERS"."""
    yield paragraph(
        t("pieces_colour_neighbouring_cells"),
        t("enemies") if _is_three(rules) else None,
    )
    spec, before = _two(rules), "w C1, b A2, w C2, b B2, w C3, b B1, w B3, b G6, w A3, b G7"
    yield Figure(
        "capture",
        t("white_a1_surrounded_as"),
        (
            Diagram(spec, before, title=t("title_before")),
            Diagram(spec, f"{before}, w A1", title=t("title_after_white_a1")),
        ),
    )
    if _is_three(rules):
        moves = "w B1, b A1, r A2"
        yield Figure(
            "three",
            t("three_players_white_b2"),
            (
                Diagram(f"{spec},players=3", moves, title=t("title_before")),
                Diagram(f"{spec},players=3", f"{moves}, w B2", title=t("title_after_white_b2")),
            ),
        )


# Source: "No suicide".


def _suicide_figure(rules: PentalathRules) -> Figure:
    last = "F1" if rules.values["board"] == "trapezoid" else "G6"
    moves = f"w A1, b A2, w B1, b B2, w D1, b C3, w E1, b D3, w C2, b D2, w G5, b E2, w G7, b F2, w E7, b {last}"
    return Figure(
        "suicide",
        t("white_c1_would_make"),
        (Diagram(_two(rules), moves, forbidden="C1"),),
    )


def _no_move(rules: PentalathRules) -> Both:
    """The source has no rule for it, only "freedoms will eventually fill up and captures will inevitably occur"."""
    if rules.no_move == "pass":
        return t("player_has_no_move")
    if rules.no_move == "loss" and not _is_three(rules):
        return t("player_has_no_move_2")
    return t("when_player_move_has")


def _repetition(rules: PentalathRules) -> Both:
    """Source: "There is no ko rule"."""
    never = t("there_no_ko_rule")
    if rules.repetition == "none":
        return never
    same = Both("", "")
    if rules.repetition == "draw3_situation":
        same = t("with_same_player_move")
    return paragraph(
        never,
        t("but_when_same_position", same=same),
    )


# Source: "NOTES", "STRATEGY".

_OPTIONS = {
    "board": t("option_board"),
    "players": t("option_players"),
    "repetition": t("option_repetition"),
    "no_move": t("option_no_move"),
    "supply": t("option_supply"),
    "swap": t("option_swap"),
}
