"""The chapter on Alter Igo. Source: 003_998ee6034542098c.txt, whose rules are numbered, without a rule six."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Items, Section, choices, figure, spec_of
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.alter_igo import AlterIgoRules

t = Sentences("alter_igo")


def sections(rules: AlterIgoRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    width, height = rules.values["width"], rules.values["height"]
    start = Figure("start", t("start_caption"), (Diagram(spec_of(rules)),))
    yield Section(t("heading_rule_1_what_need"), (t("material", width=width, height=height), start))
    yield Section(t("heading_rule_2_playing"), (_playing(rules),))
    yield Section(t("heading_rule_3_strings"), (t("strings"),))
    yield Section(t("heading_rule_4_capture"), (t("capture"), figure(t, "together")))
    yield Section(t("heading_rule_5_end"), (_end(rules), figure(t, "lone")))
    yield Section(t("heading_rule_6"), (t("no_rule_six"),))
    # Source: "the winner will be the player with most spare eyes"; "you get to play two games instead of one".
    yield Section(t("heading_advice"), (Items((t("advice_eyes"), t("advice_two_games"))), figure(t, "spare")))
    yield choices(rules, t)


def _playing(rules: AlterIgoRules) -> Text:
    """Describe turns and passes. Source: rule 2; "allows white 6 passes"."""
    first = colour(BLACK if rules.values["first"] == "b" else WHITE)
    left = int(str(rules.values["white_passes"]))
    return paragraph(t("turns", first=first), t("white_passes", times=t.count("times", left)) if left else t("no_pass"))


def _end(rules: AlterIgoRules) -> Items:
    """Describe the end of the game. Source: rule 5."""
    count = t.count("times", int(str(rules.values["repeat_count"])))
    what = t(f"same_{rules.values['repetition']}")
    passes = t("end_passes") if rules.values["white_passes"] else ""
    return Items((t("end_draw", count=count, what=what, passes=passes), t("end_resigned"), t("end_suicide")))
