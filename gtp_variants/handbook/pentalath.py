"""Pentalath in words. Source: 004_245878c87de04f55.txt; the names of its parts are cited below."""

from collections.abc import Iterator

from gtp_variants.handbook.both import Both, colour, counted, listed, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Part, Section, choices, spec_of
from gtp_variants.rules.games.pentalath import PentalathRules


def sections(rules: PentalathRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(Both("The aim", "Le but"), tuple(_aim(rules)))
    yield Section(Both("Playing", "Jouer"), tuple(_playing(rules)))
    yield Section(Both("Capture", "Capturer"), tuple(_capture(rules)))
    yield Section(Both("No suicide", "Pas de suicide"), (_NO_SUICIDE, _suicide_figure(rules)))
    yield Section(Both("Other ends", "Les autres fins"), (_no_move(rules), _repetition(rules)))
    yield Section(Both("Advice", "Conseils"), (_ADVICE,))
    yield choices(rules, _OPTIONS)


def _is_three(rules: PentalathRules) -> bool:
    return len(rules.colours) > 2


def _aim(rules: PentalathRules) -> Iterator[Part]:
    """Source: "EQUIPMENT", "OBJECTIVE"."""
    cells = len(rules.board)
    shape = _SHAPES[str(rules.values["board"])]
    yield paragraph(
        Both(
            "Make a line of five pieces of your colour, or more, in any of the three directions of the hexagons.",
            "Formez une ligne de cinq pièces de votre couleur, ou plus, dans l'une des trois directions des hexagones.",
        ),
        Both(
            f"The board is {shape.en}: {cells} cells. Each player has discs of one colour.",
            f"Le plateau est {shape.fr} : {cells} cellules. Chaque joueur a des disques d'une couleur.",
        ),
        _supply(rules),
    )
    yield Figure(
        "five",
        Both(
            "White wins: B3 to F3 are five in a row.",
            "Blanc gagne : de B3 à F3, cinq pièces sont alignées.",
        ),
        (Diagram(_two(rules), "w C3, b A1, w D3, b B1, w E3, b G6, w F3, b G7, w B3"),),
    )


_SHAPES = {
    "trapezoid": Both(
        "a trapezium of hexagons with seven cells on its short sides",
        "un trapèze d'hexagones à sept cellules sur ses petits côtés",
    ),
    "hexhex5": Both(
        "the hexagonal board of Yavalath, with five cells on a side",
        "un hexagone, celui de Yavalath, à cinq cellules de côté",
    ),
}


def _supply(rules: PentalathRules) -> Both:
    """Source: "Each player, White and Black, has 40 discs of their colour"."""
    if rules.supply is None:
        return Both(
            "There are always discs enough: captured ones go back to their owner.",
            "Les disques ne manquent jamais : ceux qui sont capturés reviennent à leur propriétaire.",
        )
    discs = counted(rules.supply, ("disc", "discs"), ("disque", "disques"))
    return Both(
        f"Each colour has {discs.en}; captured ones go back to their owner. Who has all of them on the board has no "
        "move.",
        f"Chaque couleur a {discs.fr} ; ceux qui sont capturés reviennent à leur propriétaire. Qui les a tous sur le "
        "plateau n'a pas de coup.",
    )


def _two(rules: PentalathRules) -> str:
    """This board for two players."""
    return f"pentalath:board={rules.values['board']}"


def _playing(rules: PentalathRules) -> Iterator[Part]:
    """Source: "PLAY", "THREE PLAYERS"; the swap is the author's own option elsewhere."""
    order = listed(colour(each) for each in rules.colours)
    players = len(rules.colours)
    yield paragraph(
        Both(
            f"{players} players: {order.en}, in this order. The board is empty at first and White begins. In turn, "
            "place one piece of your colour on an empty cell.",
            f"{players} joueurs : {order.fr}, dans cet ordre. Le plateau est d'abord vide et Blanc commence. À tour "
            "de rôle, placez une pièce de votre couleur sur une cellule vide.",
        ),
        _PASS_IF_BLOCKED if rules.no_move == "pass" else _NO_PASS,
        _SWAP if rules.values["swap"] and not _is_three(rules) else None,
    )
    yield Figure("start", Both("The empty board.", "Le plateau vide."), (Diagram(spec_of(rules)),))


_NO_PASS = Both("Passing is not allowed.", "Passer son tour n'est pas autorisé.")
_PASS_IF_BLOCKED = Both(
    "Passing is not allowed, unless you have no move.",
    "Passer son tour n'est pas autorisé, sauf si l'on n'a aucun coup.",
)
_SWAP = Both(
    "Swap: after White's first piece, Black may take it over instead of playing. It turns black where it stands, and "
    "White plays next.",
    "Échange : après la première pièce de Blanc, Noir peut la reprendre à son compte au lieu de jouer. Elle devient "
    "noire sur place, et c'est à Blanc de jouer.",
)


def _capture(rules: PentalathRules) -> Iterator[Part]:
    """Source: "CAPTURE", "THREE PLAYERS"."""
    yield paragraph(
        Both(
            "Pieces of one colour on neighbouring cells form a group. A group has freedom as long as it touches an "
            "empty cell. After each move, enemy groups without freedom are captured and removed.",
            "Des pièces d'une même couleur sur des cellules voisines forment un groupe. Un groupe a une liberté tant "
            "qu'il touche une cellule vide. Après chaque coup, les groupes ennemis sans liberté sont capturés et "
            "retirés.",
        ),
        _ENEMIES if _is_three(rules) else None,
    )
    spec, before = _two(rules), "w C1, b A2, w C2, b B2, w C3, b B1, w B3, b G6, w A3, b G7"
    yield Figure(
        "capture",
        Both(
            "White A1 is surrounded as it is played, but captures the black group, which makes its own freedom.",
            "Blanc A1 est entouré lorsqu'il est joué, mais capture le groupe noir, ce qui crée sa propre liberté.",
        ),
        (
            Diagram(spec, before, title=Both("Before", "Avant")),
            Diagram(spec, f"{before}, w A1", title=Both("After White A1", "Après Blanc A1")),
        ),
    )
    if _is_three(rules):
        moves = "w B1, b A1, r A2"
        yield Figure(
            "three",
            Both(
                "Three players: White B2 captures the black piece, with the help of the red one.",
                "À trois : Blanc B2 capture la pièce noire, avec l'aide de la rouge.",
            ),
            (
                Diagram(f"{spec},players=3", moves, title=Both("Before", "Avant")),
                Diagram(f"{spec},players=3", f"{moves}, w B2", title=Both("After White B2", "Après Blanc B2")),
            ),
        )


_ENEMIES = Both(
    "With three players every other colour is an enemy: one move may capture groups of both, and the first five in a "
    "row wins against the two others. If one player resigns, their pieces stay and their turns are skipped.",
    "À trois joueurs, toute autre couleur est ennemie : un même coup peut capturer des groupes des deux, et la "
    "première ligne de cinq gagne contre les deux autres. Si un joueur abandonne, ses pièces restent et ses tours sont "
    "sautés.",
)
# Source: "No suicide".
_NO_SUICIDE = Both(
    "You may not place a piece that leaves its group without freedom, unless it captures enemy pieces. That holds even "
    "if it would complete a line of five.",
    "Il n'est pas permis de placer une pièce qui laisse son groupe sans liberté, à moins qu'elle ne capture des pièces "
    "ennemies. Cela vaut même si elle achève une ligne de cinq.",
)


def _suicide_figure(rules: PentalathRules) -> Figure:
    last = "F1" if rules.values["board"] == "trapezoid" else "G6"
    moves = f"w A1, b A2, w B1, b B2, w D1, b C3, w E1, b D3, w C2, b D2, w G5, b E2, w G7, b F2, w E7, b {last}"
    return Figure(
        "suicide",
        Both(
            "White C1 would make five in a row, but leave the white group without freedom: it is forbidden.",
            "Blanc C1 ferait cinq pièces alignées, mais laisserait le groupe blanc sans liberté : c'est interdit.",
        ),
        (Diagram(_two(rules), moves, forbidden="C1"),),
    )


def _no_move(rules: PentalathRules) -> Both:
    """The source has no rule for it, only "freedoms will eventually fill up and captures will inevitably occur"."""
    if rules.no_move == "pass":
        return Both(
            "A player who has no move passes. When all are blocked one after the other, the game is a draw.",
            "Un joueur qui n'a aucun coup passe. Quand tous sont bloqués l'un après l'autre, la partie est nulle.",
        )
    if rules.no_move == "loss" and not _is_three(rules):
        return Both("A player who has no move loses.", "Un joueur qui n'a aucun coup perd.")
    return Both(
        "When the player to move has no move, the game is a draw.",
        "Quand le joueur dont c'est le tour n'a aucun coup, la partie est nulle.",
    )


def _repetition(rules: PentalathRules) -> Both:
    """Source: "There is no ko rule"."""
    never = Both(
        "There is no ko rule: no move is forbidden because it repeats a position.",
        "Il n'y a pas de règle de ko : aucun coup n'est interdit parce qu'il répète une position.",
    )
    if rules.repetition == "none":
        return never
    same = Both("", "")
    if rules.repetition == "draw3_situation":
        same = Both(" with the same player to move", " avec le même joueur dont c'est le tour")
    return paragraph(
        never,
        Both(
            f"But when the same position has occurred 3 times{same.en}, the game is a draw.",
            f"Mais quand la même position s'est présentée 3 fois{same.fr}, la partie est nulle.",
        ),
    )


# Source: "NOTES", "STRATEGY".
_ADVICE = Both(
    "Pentalath is a connection game at heart: connect your small groups to larger, safe ones, and isolate the enemy "
    "groups that block you. Mind the ladders: a line of five on the way may turn them.",
    "Pentalath est un jeu de connexion dans l'âme : connectez vos petits groupes à de plus grands, sûrs, et isolez les "
    "groupes ennemis qui vous bloquent. Attention aux échelles : une ligne de cinq en chemin peut les retourner.",
)

_OPTIONS = {
    "board": Both(
        "trapezoid, 70 cells, or hexhex5, the 61 of Yavalath.",
        "trapezoid, 70 cellules, ou hexhex5, les 61 de Yavalath.",
    ),
    "players": Both(
        "2, White and Black, or 3, with Red.",
        "2, Blanc et Noir, ou 3, avec Rouge.",
    ),
    "repetition": Both(
        "none; draw3: a position that occurs for the third time is a draw; draw3_situation: if the same player is to "
        "move.",
        "none : rien ; draw3 : une position qui se présente trois fois rend la partie nulle ; draw3_situation : si "
        "c'est au même joueur.",
    ),
    "no_move": Both(
        "A player without a move: draw, loss (with three players a draw, too) or pass.",
        "Un joueur sans coup : draw, la partie est nulle ; loss, il perd (à trois, nulle aussi) ; pass, il passe.",
    ),
    "supply": Both(
        "Discs of each colour, such as 40; none: no limit.",
        "Nombre de disques de chaque couleur, comme 40 ; none : sans limite.",
    ),
    "swap": Both(
        "Between two players, whether the second may take over the first piece (true, false).",
        "À deux joueurs, si le second peut reprendre la première pièce (true, false).",
    ),
}
