"""What the games of the Go family have in common: chains, capture, repetition, the end, the count."""

from typing import Any

from gtp_variants.handbook.both import Both, colour, counted, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, play
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.boards.chains import area
from gtp_variants.rules.games.go import GoFamily
from gtp_variants.rules.words import number

CHAINS = Both(
    "Stones of one colour on neighbouring points form a chain. The empty points next to a chain are its liberties. "
    "A chain with a single liberty left is in atari.",
    "Des pierres de même couleur, voisines de proche en proche, forment une chaîne. Les intersections vides voisines "
    "d'une chaîne sont ses libertés. Une chaîne qui n'a plus qu'une liberté est en atari.",
)
_CAPTURE = Both(
    "Take the last liberty of an enemy chain and you capture it: all its stones leave the board. One stone can capture "
    "several chains. You may not leave a chain of your own without a liberty, unless the same stone captures "
    "something.",
    "Supprimez la dernière liberté d'une chaîne adverse et vous la capturez : toutes ses pierres quittent le {board}. "
    "Une seule pierre peut capturer plusieurs chaînes. Il est interdit de construire une chaîne sans liberté, sauf si "
    "le même coup capture une chaîne adverse.",
)


def capture(rules: GoFamily[Any]) -> Both:
    """Source: 002_de0d3e2916539ccb.txt, "CAPTURE"."""
    return _on(rules, _CAPTURE)


def _on(rules: GoFamily[Any], text: Both) -> Both:
    """A text that names the board: French calls only a square one a goban."""
    return Both(text.en, text.fr.format(board="plateau" if rules.board.geometry == "hex" else "goban"))


_REPETITION = {
    "none": Both(
        "No position is forbidden because it occurred before: even a ko may be retaken at once.",
        "Aucune position n'est interdite parce qu'elle s'est déjà présentée : même un ko se reprend aussitôt.",
    ),
    "simple": Both(
        "Ko: a stone may not bring back the board as it was before the opponent's last move.",
        "Ko : une pierre ne doit pas redonner au {board} l'état qu'il avait avant le dernier coup de l'adversaire.",
    ),
    "psk": Both(
        "Ko (positional superko): a stone may not bring back any earlier board of the game.",
        "Ko (superko positionnel) : une pierre ne doit redonner au {board} aucun de ses états antérieurs.",
    ),
    "ssk": Both(
        "Ko (situational superko): a stone may not bring back an earlier board of the game with the same player to "
        "move.",
        "Ko (superko situationnel) : une pierre ne doit pas redonner au {board} un état antérieur avec le même joueur "
        "au trait.",
    ),
    "nssk": Both(
        "Ko (natural situational superko): a player, in placing a stone, may not bring back a board that the "
        "same player had already made by placing one.",
        "Ko (superko situationnel naturel) : un joueur, en posant une pierre, ne doit pas redonner au {board} un état "
        "identique à l'un de ceux qu'il lui avait déjà donnés.",
    ),
    "draw": Both(
        "Ko (with a draw by repetition): a stone may not bring back the board as it was before the opponent's last "
        "move. When a stone brings back any other earlier board of the game, the game is a draw.",
        "Ko (avec nulle par répétition) : une pierre ne doit pas redonner au {board} l'état qu'il avait avant le "
        "dernier coup de l'adversaire. Quand une pierre lui redonne un autre de ses états antérieurs, la partie est "
        "nulle.",
    ),
}


def repetition(rules: GoFamily[Any]) -> Both:
    """Which boards may not come back. Source: 002_de0d3e2916539ccb.txt, "REPETITION", is nssk."""
    return _on(rules, _REPETITION[rules.repetition])


# Source: 002_de0d3e2916539ccb.txt, "FIN DE LA PARTIE": "lorsque les deux joueurs passent consécutivement".
TWO_PASSES = Both(
    "You may pass instead of placing a stone. The game ends when both players pass one after the other. At the "
    "computer this end is provisional: a stone placed now opens the game again, one more pass closes it.",
    "On peut passer au lieu de poser une pierre. La partie s'arrête lorsque les deux joueurs passent "
    "consécutivement. À l'ordinateur, cette fin est provisoire : une pierre posée maintenant rouvre la partie, une "
    "passe de plus la clôt.",
)


def score(rules: GoFamily[Any]) -> Both:
    """The count. Source: 002_de0d3e2916539ccb.txt, "TERRITOIRE", "FIN DE LA PARTIE"."""
    return paragraph(
        Both(
            "Each of your stones on the board is a point, and so is each empty point of your territory: the empty "
            "regions that touch stones of your colour only. Other empty points are nobody's.",
            "Chacune de vos pierres encore en jeu rapporte un point, de même que chaque intersection vide de "
            "votre territoire : les régions vides délimitées par vos seules pierres. Les autres intersections vides "
            "ne sont à personne.",
        ),
        _on(rules, _DEAD[rules.values["dead"] == "agreed"]),
        _komi(rules.komi),
        Both("Who has more points wins.", "Le gagnant est celui qui a le plus de points."),
        _DRAW if rules.komi == int(rules.komi) else None,
    )


_DRAW = Both("With equal points the game is a draw.", "À égalité de points, la partie est nulle.")
_DEAD = (
    Both(
        "No stone is taken off as dead: what stands on the board counts, so capture what you want captured before you "
        "pass.",
        "Aucune pierre n'est retirée comme morte : ce qui est sur le {board} compte ; capturez donc avant de passer "
        "ce qui doit l'être.",
    ),
    Both(
        "Before the count, the chains that both players agree are dead are taken off the board.",
        "Avant de compter, on retire du {board} les chaînes que les deux joueurs s'accordent à dire mortes.",
    ),
)


def _komi(komi: float) -> Both:
    if not komi:
        return Both("Nobody gets extra points (komi 0).", "Personne ne reçoit de points de compensation (komi 0).")
    points = counted(abs(komi), ("point", "points"), ("point", "points"))
    if komi < 0:
        return Both(
            f"Black gets {points.en} more (a negative komi).", f"Noir reçoit {points.fr} de plus (komi négatif)."
        )
    return Both(
        f"White gets {points.en} more, the komi, because Black begins.",
        f"Blanc reçoit en plus {points.fr}, le komi, parce que Noir commence.",
    )


OPTIONS = {
    "size": Both("Points along a side of the goban, 1 to 25.", "Intersections sur un côté du goban, de 1 à 25."),
    "komi": Both(
        "Any number of points; a half avoids draws.", "Un nombre de points quelconque ; le demi-point évite les nulles."
    ),
    "repetition": Both(
        "Boards that may not come back: none; simple, the one before the last move; psk, any; ssk, any with the same "
        "player to move; nssk, any that the same player made by placing.",
        "Les états du jeu qui ne doivent pas revenir : none, aucun ; simple, celui d'avant le dernier coup ; psk, "
        "tous ; ssk, ceux où le même joueur avait le trait ; nssk, ceux que le même joueur avait donnés en posant.",
    ),
    "dead": Both(
        "none, or agreed: chains that both players call dead are taken off before the count.",
        "none, ou agreed : les chaînes que les deux joueurs disent mortes sont retirées avant le compte.",
    ),
}


def capture_figure() -> Figure:
    """A stone in atari, and its capture."""
    before = "b C4, w C3, b B3, w E5, b D3, w E4"
    return Figure(
        "capture",
        Both(
            "White's C3 has one liberty left, C2: it is in atari. Black C2 captures it.",
            "La pierre blanche C3 n'a plus qu'une liberté, C2 : elle est en atari. Noir C2 la capture.",
        ),
        (
            Diagram("go:size=5", before, title=Both("Atari", "Atari")),
            Diagram("go:size=5", f"{before}, b C2", title=Both("Captured", "Capturée")),
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
