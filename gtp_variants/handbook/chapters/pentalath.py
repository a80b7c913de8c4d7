"""The chapter on Pentalath. Source: 004_245878c87de04f55.txt, whose headings are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, figure, spec_of
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
    # Source: "THREE PLAYERS".
    yield Section(t("heading_three"), (t("three"), figure(t, "three", f"{_two(rules)},players=3")))
    yield Section(t("heading_advice"), tuple(_advice(rules)))
    yield choices(rules, t)


def _is_three(rules: PentalathRules) -> bool:
    return len(rules.colours) > 2


def _aim(rules: PentalathRules) -> Iterator[Part]:
    """Yield the parts on the aim. Source: "EQUIPMENT", "OBJECTIVE"."""
    shape = t(f"shapes_{rules.values['board']}")
    yield paragraph(t("aim"), t("board", shape=shape, cells=len(rules.board)), common.supply(rules, t, "discs"))
    yield figure(t, "five", _two(rules))


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
    yield figure(t, "capture", _two(rules))


def _advice(rules: PentalathRules) -> Iterator[Part]:
    """Yield advice on corners and ladders. Source: "STRATEGY", "NOTES"."""
    yield t("advice")
    if rules.values["board"] == "trapezoid":
        yield from (figure(t, name, _two(rules)) for name in ("corners", "ladder"))


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
