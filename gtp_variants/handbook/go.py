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
        t("heading_aim"),
        (
            t("two_players_black_white", size=size),
            Figure(
                "start",
                t("empty_goban_columns_have"),
                (Diagram(spec_of(rules)),),
            ),
        ),
    )
    yield Section(
        t("heading_chains_capture"),
        (common.CHAINS, common.capture(rules), common.capture_figure()),
    )
    yield Section(
        t("heading_repetition"),
        (common.repetition(rules), common.ko_figure(rules)),
    )
    yield Section(
        t("heading_end_count"),
        (common.TWO_PASSES, common.score(rules), common.score_figure(rules)),
    )
    yield choices(rules, common.OPTIONS)
