"""The chapter on Rosette. Source: 002_de0d3e2916539ccb.txt, whose headings are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, figure, spec_of
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences, paragraph
from gtp_variants.rules.games.rosette import RosetteRules
from gtp_variants.rules.options import text_of

t = Sentences("rosette")


def sections(rules: RosetteRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    yield Section(t("heading_board"), tuple(_board(rules)))
    # Source: "Pour compenser la vulnérabilité des pions, qu'il suffit d'entourer de 3 côtés".
    capture = common.CHAINS, common.capture(rules), t("three"), figure(t, "capture")
    yield Section(t("heading_chains_capture"), capture)
    yield Section(t("heading_rosette"), tuple(_rosette(rules)))
    yield Section(t("heading_repetition"), (common.repetition(rules),))
    yield Section(t("heading_end_count"), (common.TWO_PASSES, common.score(rules)))
    yield choices(rules, t)


def _board(rules: RosetteRules) -> Iterator[Part]:
    """Yield the parts on the board and the aim. Source: "MATERIEL", "PRINCIPE", "DEROULEMENT DU JEU"."""
    n, points, hexagons = rules.values["n"], len(rules.board), len(rules.board.faces)
    yield t("aim", side=t.count("hexagons", hexagons), n=n, points=points)
    yield paragraph(t("turns"), common.supply(rules, t, "stones"))
    yield Figure("start", t("start_caption"), (Diagram(spec_of(rules)),))


_RING = "b C3, w B2, b D3, w D2, b E4, w F4, b E5, w F6, b D5, w D6, b C4, w B4"


def _rosette(rules: RosetteRules) -> Iterator[Part]:
    """Yield the parts on rosettes.

    Source: "VIE ET MORT": "il existe une disposition imprenable : l'hexagone constitué de 6 pions".
    """
    immunity, suicide = text_of(rules.values["immunity"]), text_of(rules.values["rosette_suicide"])
    spec = f"rosette:n=2,immunity={immunity},rosette_suicide={suicide}"
    if immunity == "false":
        yield t("not_immune")
        caption = t("not_immune_caption")
    else:
        yield t("immune")
        yield t(f"filling_{suicide}")
        caption = t("immune_caption")
    yield Figure("rosette", caption, (Diagram(spec, _RING),))
