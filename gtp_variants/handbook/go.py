"""Ordinary Go in words. Source of its rules: 002_de0d3e2916539ccb.txt, which is the French federation's rule."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both
from gtp_variants.handbook.chapter import Diagram, Figure, Section, choices, spec_of
from gtp_variants.rules.games.go import GoRules


def sections(rules: GoRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    size = rules.values["size"]
    yield Section(
        Both("The aim", "Le but"),
        (
            Both(
                f"Two players, Black and White, divide a goban of {size}×{size} points between them by drawing "
                "territories. Black begins on the empty goban; then each in turn places one stone of their colour on "
                "an empty intersection. Stones do not move afterwards.",
                f"Deux joueurs, Noir et Blanc, se partagent un goban de {size}×{size} en dessinant des territoires. "
                "Noir commence, sur le goban vide ; puis chacun à son tour pose une pierre de sa couleur sur une "
                "intersection vide. Une pierre posée ne se déplace plus.",
            ),
            Figure(
                "start",
                Both(
                    "The empty goban. Columns have letters (without I), lines have numbers.",
                    "Le goban vide. Les colonnes portent des lettres (sans I), les rangées des nombres.",
                ),
                (Diagram(spec_of(rules)),),
            ),
        ),
    )
    yield Section(
        Both("Chains and capture", "Chaînes et capture"),
        (common.CHAINS, common.capture(rules), common.capture_figure()),
    )
    yield Section(
        Both("Repetition", "Répétition"),
        (common.repetition(rules), common.ko_figure(rules)),
    )
    yield Section(
        Both("The end and the count", "La fin et le compte"),
        (common.TWO_PASSES, common.score(rules), common.score_figure(rules)),
    )
    yield choices(rules, common.OPTIONS)
