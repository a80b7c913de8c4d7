"""Go Fantôme in words. Source: 001_d6d69fd415a28a9d.txt."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, colour, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Section, choices, play
from gtp_variants.records.sentences import announcements
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.options import text_of
from gtp_variants.rules.phantom import PhantomRules, announced, sentence
from gtp_variants.rules.views import Said


def sections(rules: PhantomRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(Both("What you need", "Matériel"), (_material(rules),))
    yield Section(Both("A turn", "Un tour"), (_TURN, _impossible(rules)))
    yield Section(Both("What the referee says", "Les annonces de l'arbitre"), tuple(_announcements(rules)))
    yield Section(Both("An example", "Un exemple"), tuple(_example(rules)))
    yield Section(Both("Capture", "Capture"), (_SAME, common.CHAINS, common.capture(rules), common.capture_figure()))
    yield Section(
        Both("The end and the count", "La fin et le compte"),
        (common.TWO_PASSES, _REFERENCE, common.score(rules)),
    )
    yield Section(Both("A hint", "Astuce"), (_HINT,))
    yield choices(rules, _OPTIONS)


def _material(rules: PhantomRules) -> Both:
    """Source: "Pour qu'une partie puisse avoir lieu, il faut"."""
    size = rules.values["size"]
    return Both(
        "Go in which nobody sees the other's stones. You need 2 players, 1 referee, 3 gobans of "
        f"{size}×{size} and 3 sets of stones. Each player sees only their own goban. The referee sees all three; the "
        "referee's own is the reference.",
        "Le go où personne ne voit les pierres de l'autre. Il faut 2 joueurs, 1 arbitre, 3 gobans "
        f"{size}×{size} et 3 jeux de pierres. Chaque joueur ne voit que son propre goban ; l'arbitre voit les trois, "
        "et le sien sert de référence.",
    )


# Source: "Noir commence, joue son coup".
_TURN = Both(
    "Black begins. On your turn you show the referee a move on your goban, or pass. If the move is possible, the "
    "referee places it on the reference goban too and announces it aloud; then it is the other player's turn. If it is "
    "impossible, nothing changes and you propose another move, as often as you need. A point refused once may be tried "
    "again later.",
    "Noir commence. À votre tour, vous montrez un coup à l'arbitre sur votre goban, ou vous passez. Si le coup est "
    "possible, l'arbitre le pose aussi sur le goban de référence et l'annonce à voix haute ; c'est alors à l'autre "
    "joueur. S'il est impossible, rien ne change et vous proposez un autre coup, autant de fois qu'il le faut. Un "
    "point refusé peut être essayé de nouveau plus tard.",
)


def _impossible(rules: PhantomRules) -> Both:
    """Source: "coup impossible"; that a repetition is impossible too is added."""
    english = ["a stone stands there already, of either colour", "the stone would have no liberty and capture nothing"]
    french = [
        "une pierre, de l'une ou l'autre couleur, s'y trouve déjà",
        "la pierre n'aurait pas de liberté et ne capturerait rien",
    ]
    if rules.repetition != "none":
        english.append("the rule on repetition forbids it")
        french.append("la règle de répétition l'interdit")
    return paragraph(
        Both(
            f"A move is impossible when {', or '.join(english)}. The referee never says which.",
            f"Un coup est impossible quand {', ou que '.join(french)}. L'arbitre ne dit jamais laquelle de ces raisons "
            "vaut.",
        ),
        common.repetition(rules),
    )


def _announcements(rules: PhantomRules) -> Iterator[Part]:
    """Source: "Annonces possibles de l'arbitre", "L'arbitre doit rester neutre"."""
    values = rules.values
    yield Both(
        "Only these sentences, with the names and numbers that fit:",
        "Ces seules phrases, avec les noms et les nombres qui conviennent :",
    )
    yield Items(
        (
            _quoted(Said("captured", BLACK, 3), _CAPTURED),
            _quoted(Said("atari", BLACK, 2), _ATARI[text_of(values["atari"])]),
            _quoted(Said("self_atari", BLACK), _SELF_ATARI[text_of(values["self_atari"])]),
            _quoted(Said("played", BLACK), _PLAYED),
            _quoted(Said("impossible", BLACK), _IMPOSSIBLE[text_of(values["impossible"])]),
            _quoted(Said("passed", BLACK), _PASSED),
        )
    )
    yield paragraph(_several(rules), _NEUTRAL)


def _quoted(said: Said, when: Both) -> Both:
    return Both(f"“{sentence(said, 'en')}”: {when.en}", f"« {sentence(said, 'fr')} » : {when.fr}")


_CAPTURED = Both("the referee shows both players which.", "l'arbitre montre aux joueurs lesquelles.")
_ATARI = {
    "new": Both(
        "the stones that this move puts in atari are counted, those already in atari are not. Which ones is not said.",
        "on compte les pierres que ce coup met en atari, non celles qui l'étaient déjà. On ne dit pas lesquelles.",
    ),
    "all": Both(
        "all enemy stones in atari after the move are counted, also those that were before. Which ones is not said.",
        "on compte toutes les pierres adverses en atari après le coup, même celles qui l'étaient déjà. On ne dit pas "
        "lesquelles.",
    ),
}
_SELF_ATARI = {
    "always": Both(
        "the chain of the stone just placed has one liberty, even if it was in atari before.",
        "la chaîne de la pierre posée n'a qu'une liberté, même si elle était déjà en atari.",
    ),
    "new_only": Both(
        "the chain of the stone just placed has one liberty; it is not said again of a chain that was in atari before.",
        "la chaîne de la pierre posée n'a qu'une liberté ; on ne le répète pas d'une chaîne qui était déjà en atari.",
    ),
}
_PLAYED = Both("none of the three above applies.", "aucune des trois annonces ci-dessus ne convient.")
_IMPOSSIBLE = {
    "public": Both(
        "aloud, so that both hear it; the point is not named.",
        "à voix haute, si bien que les deux l'entendent ; l'intersection n'est pas nommée.",
    ),
    "private": Both(
        "to the player who tried, and to nobody else.",
        "au joueur qui a proposé le coup, et à personne d'autre.",
    ),
}
_PASSED = Both("the player passes.", "le joueur passe.")
_NEUTRAL = Both(
    "The referee stays neutral and says nothing else: not why a move is impossible, nor that an atari is over.",
    "L'arbitre reste neutre et ne dit rien d'autre : ni pourquoi un coup est impossible, ni qu'un atari a pris fin.",
)


def _several(rules: PhantomRules) -> Both:
    if rules.values["announce"] == "list":
        return Both(
            "When several of the first three apply, all are said one after the other, in this order.",
            "Quand plusieurs des trois premières conviennent, toutes sont dites l'une après l'autre, dans cet ordre.",
        )
    said = (Said("captured", BLACK, 1), Said("atari", BLACK, 2), Said("self_atari", BLACK))
    (english,), (french,) = announced(said, "en", True), announced(said, "fr", True)
    return Both(
        f"When several of the first three apply, they are joined in one sentence: “{english}”.",
        f"Quand plusieurs des trois premières conviennent, elles sont réunies en une phrase : « {french} ».",
    )


_MOVES = "b C3, w C3, w C2, b D2, w B3, b B2, w B1, b C1, w C2"


def _example(rules: PhantomRules) -> Iterator[Part]:
    """The same game as it was heard and as it stands on three gobans."""
    keys = ("announce", "atari", "self_atari", "impossible")
    spec = "phantom:" + ",".join(f"{key}={text_of(rules.values[key])}" for key in keys)
    yield Both("The beginning of a game, as it is heard:", "Le début d'une partie, tel qu'on l'entend :")
    yield dialogue(spec, _MOVES)
    yield Figure(
        "gobans",
        Both(
            "The three gobans after that. White's C2 was captured, and both players know it.",
            "Les trois gobans ensuite. La pierre blanche C2 a été capturée, et les deux joueurs le savent.",
        ),
        (
            Diagram(spec, _MOVES, seat=BLACK, title=Both("Black's goban", "Le goban de Noir")),
            Diagram(spec, _MOVES, title=Both("The referee's", "Celui de l'arbitre")),
            Diagram(spec, _MOVES, seat=WHITE, title=Both("White's goban", "Le goban de Blanc")),
        ),
    )


def dialogue(spec: str, moves: str) -> Items:
    """Every try of a game and what the referee says of it."""
    lines = {lang: _heard(spec, moves, lang) for lang in ("en", "fr")}
    return Items(tuple(Both(english, french) for english, french in zip(lines["en"], lines["fr"], strict=True)))


def _heard(spec: str, moves: str, lang: str) -> Iterator[str]:
    game = play(spec, moves, lang)
    is_private = game.rules.values["impossible"] == "private"
    for index, event in enumerate(game.events):
        name = colour(event.actor).said(lang)
        vertex = game.rules.board.vertex(event.action)
        said = announcements(game.rules, game.positions[index + 1])
        alone = is_private and game.is_refused(index)
        if lang == "en":
            quotes = " ".join(f"“{each}”" for each in said)
            yield f"{name} tries {vertex}: {quotes}{f' (to {name} alone)' * alone}"
        else:
            quotes = " ".join(f"« {each} »" for each in said)
            yield f"{name} propose {vertex} : {quotes}{f' (à {name} seul)' * alone}"


# Source: "même but, et même règle de capture".
_SAME = Both("The aim and the captures are those of Go.", "Le but et la capture sont ceux du go.")
# Source: "on se base sur le goban de référence".
_REFERENCE = Both(
    "Once the end is final, the points are counted on the referee's goban, which everybody may see then.",
    "La partie finie pour de bon, on compte les points sur le goban de référence, celui de l'arbitre, que chacun peut "
    "alors voir.",
)
# Source: "Astuce pour les joueurs".
_HINT = Both(
    "You sit at your goban with stones of both colours. Each time your opponent plays, put one stone of their colour "
    "aside. Place these stones as the announcements tell you where they must be: what remains aside is still to be "
    "found.",
    "Vous êtes seul face à votre goban, avec des pierres des deux couleurs. Chaque fois que votre adversaire joue, "
    "mettez de côté une pierre de sa couleur. Placez ces pierres à mesure que les annonces vous révèlent leur "
    "emplacement : celles qui restent de côté sont à découvrir.",
)

_OPTIONS = common.OPTIONS | {
    "announce": Both(
        "Several announcements: list, one after the other, or joined in one sentence.",
        "Plusieurs annonces : list, l'une après l'autre ; joined, en une seule phrase.",
    ),
    "atari": Both(
        "Which enemy stones in atari are counted: new, those just put there, or all.",
        "Les pierres adverses en atari que l'on compte : new, celles qui viennent d'y être mises ; all, toutes.",
    ),
    "self_atari": Both(
        "Of an own chain that stays in atari: always said again, or new_only.",
        "D'une chaîne à soi qui reste en atari : always, on le répète ; new_only, on ne le dit qu'une fois.",
    ),
    "impossible": Both(
        "Who hears of an impossible move: public, both, or private, the player alone.",
        "Qui entend « coup impossible » : public, les deux ; private, le joueur seul.",
    ),
}
