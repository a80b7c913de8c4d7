"""Rosette in words. Source: 002_de0d3e2916539ccb.txt; the names of its parts are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, counted, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, spec_of
from gtp_variants.rules.games.rosette import RosetteRules
from gtp_variants.rules.options import text_of


def sections(rules: RosetteRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(t("heading_board"), tuple(_board(rules)))
    yield Section(
        t("heading_chains_capture"), (common.CHAINS, common.capture(rules), _THREE, _TAKEN)
    )
    yield Section(t("heading_rosette"), tuple(_rosette(rules)))
    yield Section(t("heading_repetition"), (common.repetition(rules),))
    yield Section(t("heading_end_count"), (common.TWO_PASSES, common.score(rules)))
    yield choices(rules, _OPTIONS)


def _board(rules: RosetteRules) -> Iterator[Part]:
    """Source: "MATERIEL", "PRINCIPE", "DEROULEMENT DU JEU"."""
    n, points, hexagons = rules.values["n"], len(rules.board), len(rules.board.faces)
    side = counted(hexagons, ("hexagon", "hexagons"), ("hexagone", "hexagones"))
    yield t("black_white_divide_board", side=side, n=n, points=points)
    yield paragraph(
        t("black_begins_empty_board"),
        _supply(rules),
    )
    yield Figure(
        "start",
        t("empty_board_rows_run"),
        (Diagram(spec_of(rules)),),
    )


def _supply(rules: RosetteRules) -> Both:
    """Source: "MATERIEL": "150 pions noirs et 150 pions blancs"."""
    if rules.supply is None:
        return t("there_always_stones_enough")
    stones = counted(rules.supply, ("stone", "stones"), ("pierre", "pierres"))
    return t("each_colour_has_captured", stones=stones)


# Source: "Pour compenser la vulnérabilité des pions, qu'il suffit d'entourer de 3 côtés".
_THREE = t("three")
_TAKING = "b C3, w C4, b F6, w B2, b D6"
_TAKEN = Figure(
    "capture",
    t("taken_white_d3_takes_last"),
    (
        Diagram("rosette:n=2", _TAKING, title=t("title_atari")),
        Diagram("rosette:n=2", f"{_TAKING}, w D3", title=t("title_captured")),
    ),
)
_RING = "b C3, w B2, b D3, w D2, b E4, w F4, b E5, w F6, b D5, w D6, b C4, w B4"


def _rosette(rules: RosetteRules) -> Iterator[Part]:
    """Source: "VIE ET MORT": "il existe une disposition imprenable : l'hexagone constitué de 6 pions"."""
    immunity, suicide = text_of(rules.values["immunity"]), text_of(rules.values["rosette_suicide"])
    spec = f"rosette:n=2,immunity={immunity},rosette_suicide={suicide}"
    if immunity == "false":
        yield t("six_stones_colour_around")
        caption = t("white_b4_has_captured")
    else:
        yield t("six_stones_colour_around_2")
        yield _FILLING[suicide]
        caption = t("white_b4_has_taken")
    yield Figure("rosette", caption, (Diagram(spec, _RING),))


_FILLING = {
    "illegal": t("filling_illegal"),
    "legal": t("filling_legal"),
}

_OPTIONS = common.OPTIONS | {
    "n": t("option_n"),
    "immunity": t("option_immunity"),
    "rosette_suicide": t("option_rosette_suicide"),
    "supply": t("option_supply"),
}
