"""The chapter on ordinary Go. Source: 002_de0d3e2916539ccb.txt, the rules of the French Go federation."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Items, Section, choices, spec_of
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences, Text
from gtp_variants.rules.games.go import GoRules
from gtp_variants.rules.rule_sets import RULE_SETS

t = Sentences("go")
_NAMED = ("japanese", "chinese", "aga", "french", "new-zealand", "tromp-taylor")


def sections(rules: GoRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    start = Figure("start", t("start_caption"), (Diagram(spec_of(rules)),))
    yield Section(t("heading_aim"), (t("aim", width=rules.board.width, height=rules.board.height), start))
    yield Section(t("heading_chains_capture"), (common.CHAINS, common.capture(rules), common.CAPTURE))
    yield Section(t("heading_repetition"), (common.repetition(rules), common.ko_figure(rules)))
    yield Section(t("heading_end_count"), (common.TWO_PASSES, common.score(rules), common.score_figure(rules)))
    yield Section(t("heading_rules_name"), (t("named"), Items(tuple(map(_rule_set, _NAMED)))))
    yield choices(rules, t)


def _rule_set(name: str) -> Text:
    return t("rule_set", name=name, options=", ".join(f"{key}={value}" for key, value in RULE_SETS[name].items()))
