"""Alter Igo in words. Source: 003_998ee6034542098c.txt, whose rules are numbered; there is no rule six."""

from collections.abc import Iterator

from gtp_variants.handbook.both import Both, colour, counted, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Section, choices, spec_of
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.alter_igo import AlterIgoRules


def sections(rules: AlterIgoRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    width, height = rules.values["width"], rules.values["height"]
    yield Section(
        t("heading_rule_1_what_need"),
        (
            t("game_almost_but_not", width=width, height=height),
            Figure("start", t("empty_board"), (Diagram(spec_of(rules)),)),
        ),
    )
    yield Section(t("heading_rule_2_playing"), (_playing(rules),))
    yield Section(t("heading_rule_3_strings"), (t("strings"),))
    yield Section(t("heading_rule_4_capture"), (t("capture"), _TOGETHER))
    yield Section(t("heading_rule_5_end"), (_end(rules), _LONE))
    yield Section(t("heading_rule_6"), (t("there_no_rule_six"),))
    yield Section(t("heading_advice"), (_ADVICE,))
    yield choices(rules, _OPTIONS)


def _playing(rules: AlterIgoRules) -> Both:
    """Source: rule 2; "allows white 6 passes"."""
    first = colour(BLACK if rules.values["first"] == "b" else WHITE)
    left = rules.values["white_passes"]
    assert isinstance(left, int)
    times = counted(left, ("time", "times"), ("fois", "fois"))
    passing = t("no_pass")
    if left:
        passing = t("white_may_pass_game", times=times)
    return paragraph(
        t("begins_players_take_turns", first=first),
        passing,
    )


# Source: rule 3.
# Source: rule 4; "The capturing stones may also get removed".
_CORNER = "b A2, w B2, b B1, w C1, b E5, w A3, b D5"
_TOGETHER = Figure(
    "together",
    t("together_white_a1_takes_last"),
    (
        Diagram("alter-igo:size=5", _CORNER, title=t("title_before")),
        Diagram("alter-igo:size=5", f"{_CORNER}, w A1", title=t("title_after_white_a1")),
    ),
)


def _end(rules: AlterIgoRules) -> Items:
    """Source: rule 5."""
    count = counted(int(str(rules.values["repeat_count"])), ("time", "times"), ("fois", "fois"))
    what = t("whoever_move")
    if rules.values["repetition"] == "situation":
        what = t("with_same_player_move")
    passes = t("pass_not_new_occurrence")
    if not rules.values["white_passes"]:
        passes = Both("", "")
    return Items(
        (
            t("draw_when_same_board", count=count, what=what, passes=passes),
            t("resigns_loses"),
            t("places_stone_only_be"),
        )
    )


_LONE = Figure(
    "lone",
    t("lone_white_has_played_a1"),
    (Diagram("alter-igo:size=5", "b A2, w E5, b B1, w E4, b B2, w A1"),),
)
# Source: "the winner will be the player with most spare eyes"; "you get to play two games instead of one".
_ADVICE = Items(
    (
        t("advice_nothing_counted_now_later"),
        t("advice_beginning_advantage_be_fair"),
    )
)

_OPTIONS = {
    "width": t("option_width"),
    "height": t("option_height"),
    "first": t("option_first"),
    "repetition": t("option_repetition"),
    "repeat_count": t("option_repeat_count"),
    "white_passes": t("option_white_passes"),
}
