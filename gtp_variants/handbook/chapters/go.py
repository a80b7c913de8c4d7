"""The chapter on ordinary Go. Source: 002_de0d3e2916539ccb.txt, the rules of the French Go federation."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Section, choices, spec_of
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences
from gtp_variants.rules.games.go import GoRules

t = Sentences("go")


def sections(rules: GoRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    yield Section(
        t("heading_aim"),
        (
            t("aim", width=rules.board.width, height=rules.board.height),
            Figure("start", t("start_caption"), (Diagram(spec_of(rules)),)),
        ),
    )
    yield Section(t("heading_chains_capture"), (common.CHAINS, common.capture(rules), common.capture_figure()))
    yield Section(t("heading_repetition"), (common.repetition(rules), common.ko_figure(rules)))
    yield Section(t("heading_end_count"), (common.TWO_PASSES, common.score(rules), common.score_figure(rules)))
    yield choices(rules, t)
