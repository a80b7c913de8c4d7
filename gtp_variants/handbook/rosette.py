"""Rosette in words. Source: 002_de0d3e2916539ccb.txt; the names of its parts are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, counted, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, spec_of
from gtp_variants.rules.games.rosette import RosetteRules
from gtp_variants.rules.options import text_of


def sections(rules: RosetteRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(Both("The board", "Le plateau"), tuple(_board(rules)))
    yield Section(
        Both("Chains and capture", "Chaînes et capture"), (common.CHAINS, common.capture(rules), _THREE, _TAKEN)
    )
    yield Section(Both("The rosette", "La rosette"), tuple(_rosette(rules)))
    yield Section(Both("Repetition", "Répétition"), (common.repetition(rules),))
    yield Section(Both("The end and the count", "La fin et le compte"), (common.TWO_PASSES, common.score(rules)))
    yield choices(rules, _OPTIONS)


def _board(rules: RosetteRules) -> Iterator[Part]:
    """Source: "MATERIEL", "PRINCIPE", "DEROULEMENT DU JEU"."""
    n, points, hexagons = rules.values["n"], len(rules.board), len(rules.board.faces)
    side = counted(hexagons, ("hexagon", "hexagons"), ("hexagone", "hexagones"))
    yield Both(
        f"Black and White divide the board between them by drawing territories. It is a honeycomb of {side.en}, {n} on "
        f"a side, played on its {points} intersections, where the lines meet. Two intersections are neighbours when "
        "one line joins them with none in between: each has three neighbours, some on the rim only two.",
        f"Noir et Blanc se partagent le plateau en dessinant des territoires. Il est composé de {side.fr}, {n} de "
        f"côté, et l'on joue sur ses {points} intersections. Deux intersections sont voisines quand elles sont sur la "
        "même ligne et sans aucune intersection entre elles : chacune a trois voisines, certaines du bord n'en ont que "
        "deux.",
    )
    yield paragraph(
        Both(
            "Black begins on the empty board; then each in turn places one stone of their colour on an empty "
            "intersection.",
            "Noir commence, sur le plateau vide ; puis, à tour de rôle, chacun pose une pierre de sa couleur sur une "
            "intersection vide.",
        ),
        _supply(rules),
    )
    yield Figure(
        "start",
        Both(
            "The empty board. Rows run across; a column climbs from its letter to the upper left.",
            "Le plateau vide. Les rangées sont horizontales ; une colonne monte de sa lettre vers la gauche.",
        ),
        (Diagram(spec_of(rules)),),
    )


def _supply(rules: RosetteRules) -> Both:
    """Source: "MATERIEL": "150 pions noirs et 150 pions blancs"."""
    if rules.supply is None:
        return Both(
            "There are always stones enough: captured ones go back to their owner.",
            "Les pierres ne manquent jamais : celles qui sont capturées reviennent à leur propriétaire.",
        )
    stones = counted(rules.supply, ("stone", "stones"), ("pierre", "pierres"))
    return Both(
        f"Each colour has {stones.en}; captured ones go back to their owner. Who has all of them on the board can only "
        "pass.",
        f"Chaque couleur a {stones.fr} ; celles qui sont capturées reviennent à leur propriétaire. Qui les a toutes "
        "sur le plateau ne peut que passer.",
    )


# Source: "Pour compenser la vulnérabilité des pions, qu'il suffit d'entourer de 3 côtés".
_THREE = Both(
    "Three enemy stones are enough to capture a single one; on the rim, two may do.",
    "Il suffit d'entourer une pierre de trois côtés pour la capturer ; au bord, deux peuvent suffire.",
)
_TAKING = "b C3, w C4, b F6, w B2, b D6"
_TAKEN = Figure(
    "capture",
    Both("White D3 takes the last liberty of C3.", "Blanc D3 supprime la dernière liberté de C3."),
    (
        Diagram("rosette:n=2", _TAKING, title=Both("Atari", "Atari")),
        Diagram("rosette:n=2", f"{_TAKING}, w D3", title=Both("Captured", "Capturée")),
    ),
)
_RING = "b C3, w B2, b D3, w D2, b E4, w F4, b E5, w F6, b D5, w D6, b C4, w B4"


def _rosette(rules: RosetteRules) -> Iterator[Part]:
    """Source: "VIE ET MORT": "il existe une disposition imprenable : l'hexagone constitué de 6 pions"."""
    immunity, suicide = text_of(rules.values["immunity"]), text_of(rules.values["rosette_suicide"])
    spec = f"rosette:n=2,immunity={immunity},rosette_suicide={suicide}"
    if immunity == "false":
        yield Both(
            "Six stones of one colour around a hexagon form a rosette. In this game it is not immune: it is captured "
            "like any other chain.",
            "Six pierres d'une même couleur autour d'un hexagone forment une rosette. Dans cette partie, elle n'est "
            "pas imprenable : elle se capture comme toute autre chaîne.",
        )
        caption = Both("White B4 has captured the ring of six.", "Blanc B4 a capturé l'anneau de six pierres.")
    else:
        yield Both(
            "Six stones of one colour around a hexagon form a rosette, or metaphysical eye. A chain that contains one "
            "is never captured, even without a liberty: it lives like a group with two eyes, and so does every stone "
            "connected to it. Five of the six are not enough, and the rim has no half rosettes.",
            "Six pierres d'une même couleur autour d'un hexagone forment une rosette, ou œil métaphysique. La chaîne "
            "qui en contient une est imprenable, même sans liberté : elle vit comme un groupe qui a deux yeux, avec "
            "toutes les pierres qui lui sont connectées. Cinq pierres sur six ne suffisent pas, et le bord n'a pas de "
            "demi-rosettes.",
        )
        yield _FILLING[suicide]
        caption = Both(
            "White B4 has taken the last liberty of the rosette: it stays, and it counts.",
            "Blanc B4 a supprimé la dernière liberté de la rosette : elle reste, et elle compte.",
        )
    yield Figure("rosette", caption, (Diagram(spec, _RING),))


_FILLING = {
    "illegal": Both(
        "You may not fill the last liberty of your own chain yourself, even if it has a rosette. Your opponent may, "
        "if the filling stone has a liberty or captures something.",
        "Vous ne pouvez pas supprimer vous-même la dernière liberté de votre chaîne, même si elle a une rosette. "
        "L'adversaire le peut, si la pierre qu'il pose a une liberté ou capture.",
    ),
    "legal": Both(
        "You may fill the last liberty of your own chain if it has a rosette, or gets one by this stone. Your opponent "
        "may, if the filling stone has a liberty or captures something.",
        "Vous pouvez supprimer la dernière liberté de votre chaîne si elle a une rosette, ou l'obtient par ce coup. "
        "L'adversaire le peut, si la pierre qu'il pose a une liberté ou capture.",
    ),
}

_OPTIONS = common.OPTIONS | {
    "n": Both("Hexagons on a side of the board, 1 to 13.", "Hexagones sur un côté du plateau, de 1 à 13."),
    "immunity": Both(
        "Whether a chain with a rosette lives without a liberty (true, false).",
        "Si une chaîne qui a une rosette vit sans liberté (true, false).",
    ),
    "rosette_suicide": Both(
        "Whether you may leave your own chain with a rosette without a liberty (legal, illegal).",
        "Si l'on peut laisser sans liberté sa propre chaîne qui a une rosette : legal, oui ; illegal, non.",
    ),
    "supply": Both(
        "Stones of each colour, such as 150; none: no limit.",
        "Nombre de pierres de chaque couleur, comme 150 ; none : sans limite.",
    ),
}
