"""The chapter on Alter Igo. Source: 003_998ee6034542098c.txt, whose rules are numbered, without a rule six."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Items, Section, choices, spec_of
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.alter_igo import AlterIgoRules

t = Sentences("alter_igo")


def sections(rules: AlterIgoRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    width, height = rules.values["width"], rules.values["height"]
    yield Section(
        t("heading_rule_1_what_need"),
        (t("material", width=width, height=height), Figure("start", t("start_caption"), (Diagram(spec_of(rules)),))),
    )
    yield Section(t("heading_rule_2_playing"), (_playing(rules),))
    yield Section(t("heading_rule_3_strings"), (t("strings"),))
    yield Section(t("heading_rule_4_capture"), (t("capture"), _TOGETHER))
    yield Section(t("heading_rule_5_end"), (_end(rules), _LONE))
    yield Section(t("heading_rule_6"), (t("no_rule_six"),))
    yield Section(t("heading_advice"), (_ADVICE, _SPARE))
    yield choices(rules, t)


def _playing(rules: AlterIgoRules) -> Text:
    """Describe turns and passes. Source: rule 2; "allows white 6 passes"."""
    first = colour(BLACK if rules.values["first"] == "b" else WHITE)
    left = int(str(rules.values["white_passes"]))
    return paragraph(t("turns", first=first), t("white_passes", times=t.count("times", left)) if left else t("no_pass"))


# Source: rule 4; "The capturing stones may also get removed".
_CORNER = "b A2, w B2, b B1, w C1, b E5, w A3, b D5"
_TOGETHER = Figure(
    "together",
    t("together_caption"),
    (
        Diagram("alter-igo:size=5", _CORNER, title=t("title_before")),
        Diagram("alter-igo:size=5", f"{_CORNER}, w A1", title=t("title_after_white_a1")),
    ),
)


def _end(rules: AlterIgoRules) -> Items:
    """Describe the end of the game. Source: rule 5."""
    count = t.count("times", int(str(rules.values["repeat_count"])))
    what = t(f"same_{rules.values['repetition']}")
    passes = t("end_passes") if rules.values["white_passes"] else ""
    return Items((t("end_draw", count=count, what=what, passes=passes), t("end_resigned"), t("end_suicide")))


_LONE = Figure("lone", t("lone_caption"), (Diagram("alter-igo:size=5", "b A2, w E5, b B1, w E4, b B2, w A1"),))
# Source: "the winner will be the player with most spare eyes"; "you get to play two games instead of one".
_ADVICE = Items((t("advice_eyes"), t("advice_two_games")))
_SMALL = "alter-igo:width=8,height=3"
_EYES = (
    "b D2, w G2, b D3, w G3, b B1, w E2, b C3, w H2, b B3, w F1, b C1, w E3, b B2, w F3, b A2, w F2, b E1, w G1, b D1"
)
_SPARE = Figure(
    "spare",
    t("spare_caption"),
    (
        Diagram(_SMALL, _EYES, title=t("title_white_to_play")),
        Diagram(_SMALL, f"{_EYES}, w H1, b C2", title=t("title_after_black_c2")),
        Diagram(_SMALL, f"{_EYES}, w H1, b C2, w H3", title=t("title_after_white_h3")),
    ),
)
