"""The chapter on Pentalath. Source: 004_245878c87de04f55.txt, whose headings are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, spec_of
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph
from gtp_variants.rules.games.pentalath import PentalathRules

t = Sentences("pentalath")


def sections(rules: PentalathRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    yield Section(t("heading_aim"), tuple(_aim(rules)))
    yield Section(t("heading_playing"), tuple(_playing(rules)))
    yield Section(t("heading_capture"), tuple(_capture(rules)))
    yield Section(t("heading_no_suicide"), (t("no_suicide"), _suicide_figure(rules)))
    yield Section(t("heading_other_ends"), (_no_move(rules), _repetition(rules)))
    yield Section(t("heading_three"), (t("three"), _three_figure(rules)))
    yield Section(t("heading_advice"), tuple(_advice(rules)))
    yield choices(rules, t)


def _is_three(rules: PentalathRules) -> bool:
    return len(rules.colours) > 2


def _aim(rules: PentalathRules) -> Iterator[Part]:
    """Yield the parts on the aim. Source: "EQUIPMENT", "OBJECTIVE"."""
    shape = t(f"shapes_{rules.values['board']}")
    yield paragraph(t("aim"), t("board", shape=shape, cells=len(rules.board)), common.supply(rules, t, "discs"))
    yield Figure(
        "five", t("five_caption"), (Diagram(_two(rules), "w C3, b A1, w D3, b B1, w E3, b G6, w F3, b G7, w B3"),)
    )


def _two(rules: PentalathRules) -> str:
    """Return the SPEC for two players on this board."""
    return f"pentalath:board={rules.values['board']}"


def _playing(rules: PentalathRules) -> Iterator[Part]:
    """Yield the parts on the course of the game. Source: "PLAY", "THREE PLAYERS".

    The swap is an option that the game's author describes elsewhere.
    """
    yield paragraph(
        t("players", players=len(rules.colours), order=list(map(colour, rules.colours))),
        t("pass_if_blocked" if rules.no_move == "pass" else "no_pass"),
        t("swap") if rules.values["swap"] and not _is_three(rules) else None,
    )
    yield Figure("start", t("start_caption"), (Diagram(spec_of(rules)),))


def _capture(rules: PentalathRules) -> Iterator[Part]:
    """Yield the parts on captures. Source: "CAPTURE", "THREE PLAYERS"."""
    yield paragraph(t("groups"), t("enemies") if _is_three(rules) else None)
    spec, before = _two(rules), "w C1, b A2, w C2, b B2, w C3, b B1, w B3, b G6, w A3, b G7"
    yield Figure(
        "capture",
        t("capture_caption"),
        (
            Diagram(spec, before, title=t("title_before")),
            Diagram(spec, f"{before}, w A1", title=t("title_after_white_a1")),
        ),
    )


def _three_figure(rules: PentalathRules) -> Figure:
    """Draw captures in a game with three players.

    Source: "THREE PLAYERS": "a black group with a single freedom that can be captured by white or red".
    """
    spec, moves = f"{_two(rules)},players=3", "w B1, b A1, r A2"
    return Figure(
        "three",
        t("three_caption"),
        (
            Diagram(spec, moves, title=t("title_before")),
            Diagram(spec, f"{moves}, w B2", title=t("title_after_white_b2")),
            Diagram(spec, f"{moves}, w E4, b C5, r B2", title=t("title_after_red_b2")),
        ),
    )


_LADDER = "w A1, b B1, w A2, b B2, w B3, b N7, w C3, b L7, w C2"
_RUN = f"{_LADDER}, b C1, w D2, b D1, w E2, b E1"


def _advice(rules: PentalathRules) -> Iterator[Part]:
    """Yield advice on corners and ladders. Source: "STRATEGY", "NOTES", with moves 1 to 7, a and b."""
    yield t("advice")
    if rules.values["board"] != "trapezoid":
        return
    yield Figure("corners", t("corners"), (Diagram(_two(rules), "w A7, b A1, w N7, b G1"),))
    yield Figure(
        "ladder",
        t("ladder"),
        (
            Diagram(_two(rules), _LADDER, title=t("title_ladder_before")),
            Diagram(_two(rules), _RUN, title=t("title_ladder_run")),
            Diagram(_two(rules), f"{_RUN}, w F1, b F2", title=t("title_ladder_escape")),
            Diagram(_two(rules), f"{_RUN}, w F2, b F1", title=t("title_ladder_careless")),
        ),
    )


def _suicide_figure(rules: PentalathRules) -> Figure:
    """Draw a move that is forbidden as suicide. Source: "No suicide"."""
    last = "F1" if rules.values["board"] == "trapezoid" else "G6"
    moves = f"w A1, b A2, w B1, b B2, w D1, b C3, w E1, b D3, w C2, b D2, w G5, b E2, w G7, b F2, w E7, b {last}"
    return Figure("suicide", t("suicide_caption"), (Diagram(_two(rules), moves, forbidden="C1"),))


def _no_move(rules: PentalathRules) -> Text:
    """Describe a turn without a legal move.

    The source has no rule for such a turn. It says only "freedoms will eventually fill up and captures will inevitably
    occur".
    """
    return t("no_move_draw" if rules.no_move == "loss" and _is_three(rules) else f"no_move_{rules.no_move}")


def _repetition(rules: PentalathRules) -> Text:
    """Describe the repetition rule. Source: "There is no ko rule"."""
    return paragraph(t("no_ko"), None if rules.repetition == "none" else t(f"repetition_{rules.repetition}"))
