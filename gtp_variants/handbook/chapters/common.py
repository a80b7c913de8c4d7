"""Sentences and figures shared by the games of the Go family: chains, capture, repetition, the end and the count."""

from gtp_variants.handbook.chapter import Diagram, Figure, figure, play
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import area
from gtp_variants.rules.games.go import G, GoFamily
from gtp_variants.rules.languages import format_number
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rules import P, Rules

t = Sentences("common")

CHAINS = t("chains")
# Source: 002_de0d3e2916539ccb.txt, "FIN DE LA PARTIE": "lorsque les deux joueurs passent consécutivement".
TWO_PASSES = t("two_passes")
# A stone in atari, and the board after its capture.
CAPTURE = figure(t, "capture")


def supply(rules: Rules[P], sentences: Sentences, unit: str) -> Text:
    """Describe the number of pieces, with a chapter's sentence `supply_none`, `supply` or `supply_each`.

    `unit` is the chapter's key for one piece. Source: "150 pions noirs et 150 pions blancs"; "Each player, White and
    Black, has 40 discs"; "30 red pieces".
    """
    if rules.supply is None:
        return sentences("supply_none")
    shares = {each: sentences.count(unit, rules.supply[each]) for each in rules.colours}
    if len({rules.supply[each] for each in rules.colours}) == 1:
        return sentences("supply", share=shares[rules.colours[0]])
    return sentences(
        "supply_each", shares=[t("share", share=share, name=colour(each)) for each, share in shares.items()]
    )


def capture(rules: GoFamily[G]) -> Text:
    """Describe captures. Source: 002_de0d3e2916539ccb.txt, "CAPTURE"."""
    return t("capture_suicide" if rules.suicide else "capture", board=_board(rules))


def _board(rules: GoFamily[G]) -> Text:
    """Return the word for the board: French calls only a square board a goban."""
    return t(f"board_{rules.board.geometry}")


def repetition(rules: GoFamily[G]) -> Text:
    """Describe the boards that must not be repeated. Source: 002_de0d3e2916539ccb.txt, "REPETITION", which is nssk."""
    return t(f"repetition_{rules.repetition}", board=_board(rules))


def score(rules: GoFamily[G]) -> Text:
    """Describe the scoring. Source: 002_de0d3e2916539ccb.txt, "TERRITOIRE", "FIN DE LA PARTIE"."""
    values = rules.values
    bonus, komi = values.text("handicap_bonus"), rules.komi
    komi_key = "komi" if komi > 0 else "komi_negative" if komi else "komi_none"
    return paragraph(
        t("points_territory" if rules.counts_territory else "points"),
        t(f"dead_{text_of(rules.values['dead'])}", board=_board(rules)),
        t(komi_key, points=t.count("number_points", abs(komi))),
        None if values["komi_in_handicap"] else t("komi_even"),
        None if bonus == "0" else t("bonus", bonus=bonus),
        t("button") if rules.button else None,
        t("winner"),
        t("draw") if komi == int(komi) and not rules.button else None,
    )


def ko_figure(rules: GoFamily[G]) -> Figure:
    """Draw a ko that White has just taken. The rules decide whether Black may retake it."""
    moves = "b C4, w D4, b B3, w E3, b C2, w D2, b D3, w C3"
    free = rules.repetition == "none"
    board = Diagram(f"go:size=5,repetition={rules.repetition}", moves, forbidden="" if free else "D3")
    return Figure("ko", t("ko_caption_free" if free else "ko_caption"), (board,))


def score_figure(rules: GoFamily[G]) -> Figure:
    """Draw a finished game on a small board, with its score."""
    spec = f"go:size=5,komi={format_number(rules.komi)},scoring={rules.values.text('scoring')}"
    moves = "b C3, w D3, b C2, w D2, b C4, w D4, b C1, w D1, b C5, w D5, b pass, w pass, b pass"
    game = play(spec, moves)
    counts = area(game.rules.board, game.position.stones)

    def describe(side: int) -> Text:
        stones = game.position.stones.count(side)
        parts = {"name": colour(side), "stones": stones, "territory": counts[side] - stones}
        # No stones are captured in this example, so territory needs no count of prisoners.
        return t("count_side_territory" if rules.counts_territory else "count_side", **parts)

    return Figure("count", t("count_caption", black=describe(BLACK), white=describe(WHITE)), (Diagram(spec, moves),))
