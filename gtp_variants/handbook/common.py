"""What the games of the Go family have in common: chains, capture, repetition, the end, the count."""

from typing import Any

from gtp_variants.handbook.both import Both, colour, counted, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, play
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import area
from gtp_variants.rules.games.go import GoFamily
from gtp_variants.rules.words import number

CHAINS = t("chains")


def capture(rules: GoFamily[Any]) -> Both:
    """Source: 002_de0d3e2916539ccb.txt, "CAPTURE"."""
    return _on(rules, t("capture"))


def _on(rules: GoFamily[Any], text: Both) -> Both:
    """A text that names the board: French calls only a square one a goban."""
    return Both(text.en, text.fr.format(board="plateau" if rules.board.geometry == "hex" else "goban"))


_REPETITION = {
    "none": t("repetition_none"),
    "simple": t("repetition_simple"),
    "psk": t("repetition_psk"),
    "ssk": t("repetition_ssk"),
    "nssk": t("repetition_nssk"),
    "draw": t("repetition_draw"),
}


def repetition(rules: GoFamily[Any]) -> Both:
    """Which boards may not come back. Source: 002_de0d3e2916539ccb.txt, "REPETITION", is nssk."""
    return _on(rules, _REPETITION[rules.repetition])


# Source: 002_de0d3e2916539ccb.txt, "FIN DE LA PARTIE": "lorsque les deux joueurs passent consécutivement".
TWO_PASSES = t("two_passes")


def score(rules: GoFamily[Any]) -> Both:
    """The count. Source: 002_de0d3e2916539ccb.txt, "TERRITOIRE", "FIN DE LA PARTIE"."""
    return paragraph(
        t("each_your_stones_board"),
        _on(rules, _DEAD[rules.values["dead"] == "agreed"]),
        _komi(rules.komi),
        t("has_more_points_wins"),
        t("draw") if rules.komi == int(rules.komi) else None,
    )


_DEAD = (
    t("dead_no_stone_taken_off"),
    t("dead_before_count_chains_both"),
)


def _komi(komi: float) -> Both:
    if not komi:
        return t("nobody_gets_extra_points")
    points = counted(abs(komi), ("point", "points"), ("point", "points"))
    if komi < 0:
        return t("black_gets_more_negative", points=points)
    return t("white_gets_more_komi", points=points)


OPTIONS = {
    "size": t("option_size"),
    "komi": t("option_komi"),
    "repetition": t("option_repetition"),
    "dead": t("option_dead"),
}


def capture_figure() -> Figure:
    """A stone in atari, and its capture."""
    before = "b C4, w C3, b B3, w E5, b D3, w E4"
    return Figure(
        "capture",
        t("white_s_c3_has"),
        (
            Diagram("go:size=5", before, title=t("title_atari")),
            Diagram("go:size=5", f"{before}, b C2", title=t("title_captured")),
        ),
    )


def ko_figure(rules: GoFamily[Any]) -> Figure:
    """A ko just taken: whether Black may take it back."""
    moves = "b C4, w D4, b B3, w E3, b C2, w D2, b D3, w C3"
    free = rules.repetition == "none"
    return Figure(
        "ko",
        Both(
            "White has just captured D3 from C3. "
            + ("Black may take back at once with D3." if free else "Black may not take back at once with D3: a ko."),
            "Blanc vient de capturer D3 en jouant C3. "
            + ("Noir peut reprendre aussitôt en D3." if free else "Noir ne peut pas reprendre aussitôt en D3 : un ko."),
        ),
        (Diagram(f"go:size=5,repetition={rules.repetition}", moves, forbidden="" if free else "D3"),),
    )


def score_figure(rules: GoFamily[Any]) -> Figure:
    """A finished game on a small board, counted."""
    spec = f"go:size=5,komi={number(rules.komi)}"
    moves = "b C3, w D3, b C2, w D2, b C4, w D4, b C1, w D1, b C5, w D5, b pass, w pass, b pass"
    game = play(spec, moves)
    counts = area(game.rules.board, game.position.stones)
    stones = [game.position.stones.count(side) for side in range(len(counts))]

    def told(side: int, lang: str) -> str:
        name = colour(side).said(lang)
        territory = counts[side] - stones[side]
        if lang == "en":
            return f"{name} has {stones[side]} stones and {territory} points of territory"
        return f"{name} a {stones[side]} pierres et {territory} points de territoire"

    return Figure(
        "count",
        Both(
            f"The end, on a small board: {told(BLACK, 'en')}, {told(WHITE, 'en')}.",
            f"La fin, sur un petit goban : {told(BLACK, 'fr')}, {told(WHITE, 'fr')}.",
        ),
        (Diagram(spec, moves),),
    )
