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
        Both("Rule 1: what you need", "Règle 1 : le matériel"),
        (
            Both(
                "A game that is almost, but not quite, entirely unlike Go. It is played by two, with black and with "
                f"white stones, on a grid of lines: here {width} columns and {height} rows.",
                "Un jeu qui est presque, mais pas tout à fait, entièrement différent du go. On y joue à deux, avec des "
                "pierres noires et des pierres blanches, sur un quadrillage : ici, "
                f"{width} colonnes et {height} rangées.",
            ),
            Figure("start", Both("The empty board.", "Le plateau vide."), (Diagram(spec_of(rules)),)),
        ),
    )
    yield Section(Both("Rule 2: playing", "Règle 2 : le jeu"), (_playing(rules),))
    yield Section(Both("Rule 3: strings", "Règle 3 : les chaînes"), (_STRINGS,))
    yield Section(Both("Rule 4: capture", "Règle 4 : la capture"), (_CAPTURE, _TOGETHER))
    yield Section(Both("Rule 5: the end", "Règle 5 : la fin"), (_end(rules), _LONE))
    yield Section(Both("Rule 6", "Règle 6"), (Both("There is no rule six.", "Il n'y a pas de règle six."),))
    yield Section(Both("Advice", "Conseils"), (_ADVICE,))
    yield choices(rules, _OPTIONS)


def _playing(rules: AlterIgoRules) -> Both:
    """Source: rule 2; "allows white 6 passes"."""
    first = colour(BLACK if rules.values["first"] == "b" else WHITE)
    left = rules.values["white_passes"]
    assert isinstance(left, int)
    times = counted(left, ("time", "times"), ("fois", "fois"))
    passing = _NO_PASS
    if left:
        passing = Both(
            f"White may pass {times.en} in the game, at any of White's turns. Black may never pass.",
            f"Blanc peut passer {times.fr} dans la partie, à n'importe lequel de ses tours. Noir ne passe jamais.",
        )
    return paragraph(
        Both(
            f"{first.en} begins. The players take turns placing one stone of their colour on any empty intersection.",
            f"{first.fr} commence. Les joueurs posent à tour de rôle une pierre de leur couleur sur une intersection "
            "vide, celle qu'ils veulent.",
        ),
        passing,
    )


_NO_PASS = Both("There is no passing.", "On ne passe pas.")
# Source: rule 3.
_STRINGS = Both(
    "Neighbouring stones of one colour belong to the same string. A stone without such a neighbour is a string by "
    "itself.",
    "Les pierres voisines d'une même couleur appartiennent à la même chaîne. Une pierre sans telle voisine est une "
    "chaîne à elle seule.",
)
# Source: rule 4; "The capturing stones may also get removed".
_CAPTURE = Both(
    "Immediately after each stone is placed, every string that is not next to at least one empty intersection is "
    "removed. All of them go at once, of either colour: a capturing stone is not saved by its capture.",
    "Dès qu'une pierre est posée, toute chaîne qui n'est voisine d'aucune intersection vide est retirée. Toutes "
    "partent à la fois, quelle que soit leur couleur : la pierre qui capture n'est pas sauvée par sa capture.",
)
_CORNER = "b A2, w B2, b B1, w C1, b E5, w A3, b D5"
_TOGETHER = Figure(
    "together",
    Both(
        "White A1 takes the last liberty of both black stones, and has none itself: all three go.",
        "Blanc A1 supprime la dernière liberté des deux pierres noires, et n'en a pas non plus : toutes trois partent.",
    ),
    (
        Diagram("alter-igo:size=5", _CORNER, title=Both("Before", "Avant")),
        Diagram("alter-igo:size=5", f"{_CORNER}, w A1", title=Both("After White A1", "Après Blanc A1")),
    ),
)


def _end(rules: AlterIgoRules) -> Items:
    """Source: rule 5."""
    count = counted(int(str(rules.values["repeat_count"])), ("time", "times"), ("fois", "fois"))
    what = Both("whoever is to move", "quel que soit le joueur dont c'est le tour")
    if rules.values["repetition"] == "situation":
        what = Both("with the same player to move", "avec le même joueur dont c'est le tour")
    passes = Both(" A pass is not a new occurrence.", " Une passe n'est pas une nouvelle occurrence.")
    if not rules.values["white_passes"]:
        passes = Both("", "")
    return Items(
        (
            Both(
                f"It is a draw when the same board position has occurred {count.en}, {what.en}; the start position "
                f"counts.{passes.en}",
                f"La partie est nulle quand la même position du plateau s'est présentée {count.fr}, {what.fr} ; la "
                f"position de départ compte.{passes.fr}",
            ),
            Both("Who resigns loses.", "Qui abandonne perd."),
            Both(
                "Who places a stone that is the only one to be removed at once loses: the suicide of a single stone. "
                "The suicide of two or more is allowed.",
                "Qui pose une pierre qui est la seule à être aussitôt retirée perd : c'est le suicide d'une seule "
                "pierre. Celui de deux pierres ou plus est permis.",
            ),
        )
    )


_LONE = Figure(
    "lone",
    Both(
        "White has played A1, a black eye of one point: the stone alone was removed, and White loses.",
        "Blanc a joué A1, un œil noir d'une intersection : seule cette pierre a été retirée, et Blanc perd.",
    ),
    (Diagram("alter-igo:size=5", "b A2, w E5, b B1, w E4, b B2, w A1"),),
)
# Source: "the winner will be the player with most spare eyes"; "you get to play two games instead of one".
_ADVICE = Items(
    (
        Both(
            "Nothing is counted, now or later. In the end somebody has only losing moves left, so what wins is spare "
            "eyes: eyes that your strings do not need in order to live.",
            "On ne compte rien, ni maintenant ni plus tard. À la fin, l'un des joueurs n'a plus que des coups "
            "perdants : ce qui gagne, ce sont les yeux de réserve, ceux dont vos chaînes n'ont pas besoin pour vivre.",
        ),
        Both(
            "Beginning is an advantage. To be fair, play two games with colours swapped.",
            "Commencer est un avantage. Pour être équitable, jouez deux parties en échangeant les couleurs.",
        ),
    )
)

_OPTIONS = {
    "width": Both("Columns, 1 to 25; size sets width and height.", "Colonnes, de 1 à 25 ; size fixe les deux côtés."),
    "height": Both("Rows, 1 to 25.", "Rangées, de 1 à 25."),
    "first": Both("Who begins: b or w.", "Qui commence : b (Noir) ou w (Blanc)."),
    "repetition": Both(
        "What is compared: the board, or the situation, which is the board and whose turn it is.",
        "Ce que l'on compare : board, le plateau ; situation, le plateau et le joueur dont c'est le tour.",
    ),
    "repeat_count": Both(
        "How often the same must occur for a draw, the first time included.",
        "Combien de fois la même position doit se présenter, la première comprise, pour que la partie soit nulle.",
    ),
    "white_passes": Both(
        "How often White may pass; 6 would make up for moving second.",
        "Combien de fois Blanc peut passer ; 6 compenseraient le désavantage de jouer en second.",
    ),
}
