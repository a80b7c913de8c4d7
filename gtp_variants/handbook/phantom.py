"""Go Fantôme in words. Source: 001_d6d69fd415a28a9d.txt."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, colour, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Section, Table, choices, play
from gtp_variants.records.sentences import announcements
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.phantom import PhantomRules, announced, sentence
from gtp_variants.rules.options import text_of
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
        (paragraph(common.TWO_PASSES, *_ends(rules)), _REFERENCE, common.score(rules)),
    )
    yield Section(Both("A hint", "Astuce"), (_HINT,))
    yield Section(Both("Rules by name", "Des règles par leur nom"), (_NAMED, _named(rules), *_NAMED_NOTES))
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
            f"A move is impossible when {', or '.join(english)}.",
            f"Un coup est impossible quand {', ou que '.join(french)}.",
        ),
        _REFUSED[text_of(rules.values["refused"])],
        common.repetition(rules),
    )


_REFUSED = {
    "silent": Both("The referee never says which.", "L'arbitre ne dit jamais laquelle de ces raisons vaut."),
    "shown": Both(
        "The referee shows you alone what stands on the point: a stone, which you then know of, or nothing.",
        "L'arbitre montre à vous seul ce qui se trouve à l'intersection : une pierre, que vous connaissez alors, ou "
        "rien.",
    ),
}


def _ends(rules: PhantomRules) -> Iterator[Both]:
    """What else there is to say of the end than that two passes bring it."""
    if rules.values["in_a_row"] == "tries":
        yield Both(
            "Two passes with a refused try between them do not end it.",
            "Deux passes séparées par un coup impossible ne l'arrêtent pas.",
        )
    if rules.most_tries:
        yield Both(
            f"After {rules.most_tries} tries, refused ones and passes among them, the game is over as it stands.",
            f"Après {rules.most_tries} propositions, coups impossibles et passes compris, la partie s'arrête en "
            "l'état.",
        )


def _announcements(rules: PhantomRules) -> Iterator[Part]:
    """Source: "Annonces possibles de l'arbitre", "L'arbitre doit rester neutre"."""
    values = rules.values
    yield Both(
        "Only these sentences, with the names and numbers that fit:",
        "Ces seules phrases, avec les noms et les nombres qui conviennent :",
    )
    first = list(_effects(rules))
    yield Items(
        (
            *first,
            _quoted(Said("played", BLACK), _PLAYED[len(first)]),
            _quoted(Said("impossible", BLACK), _IMPOSSIBLE[text_of(values["impossible"])]),
            _quoted(Said("passed", BLACK), _PASSED),
            *([_quoted(Said("repeated", BLACK), _REPEATED)] if values["repetition"] == "draw" else []),
        )
    )
    yield paragraph(_several(rules, len(first)), _NEUTRAL)


def _effects(rules: PhantomRules) -> Iterator[Both]:
    """The announcements of what a stone does."""
    values = rules.values
    yield _quoted(Said("captured", BLACK, 3), _CAPTURED[text_of(values["captures"])])
    if values["atari"] != "none":
        yield _quoted(Said("atari", BLACK, 2), _ATARI[text_of(values["atari"])])
    if values["self_atari"] != "none":
        yield _quoted(Said("self_atari", BLACK), _SELF_ATARI[text_of(values["self_atari"])])


def _quoted(said: Said, when: Both) -> Both:
    return Both(f"“{sentence(said, 'en')}”: {when.en}", f"« {sentence(said, 'fr')} » : {when.fr}")


_CAPTURED = {
    "both": Both("the referee shows both players which.", "l'arbitre montre aux joueurs lesquelles."),
    "owner": Both(
        "the referee shows their owner which, and nobody else.",
        "l'arbitre montre lesquelles à leur propriétaire, et à personne d'autre.",
    ),
}
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
_PLAYED = {
    3: Both("none of the three above applies.", "aucune des trois annonces ci-dessus ne convient."),
    2: Both("neither of the two above applies.", "aucune des deux annonces ci-dessus ne convient."),
    1: Both("nothing was captured.", "rien n'a été capturé."),
}
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
_REPEATED = Both("after the move that ends the game so.", "après le coup qui finit ainsi la partie.")
_NEUTRAL = Both(
    "The referee stays neutral and says nothing else: not why a move is impossible, nor that an atari is over.",
    "L'arbitre reste neutre et ne dit rien d'autre : ni pourquoi un coup est impossible, ni qu'un atari a pris fin.",
)


def _several(rules: PhantomRules, count: int) -> Both | None:
    """What is said when several of the first announcements apply; None if there is one only."""
    if count == 1:
        return None
    which = {
        3: Both("When several of the first three apply,", "Quand plusieurs des trois premières conviennent,"),
        2: Both("When both of the first two apply,", "Quand les deux premières conviennent,"),
    }[count]
    if rules.values["announce"] == "list":
        how = Both(
            "all are said one after the other, in this order.",
            "toutes sont dites l'une après l'autre, dans cet ordre.",
        )
    else:
        said = [Said("captured", BLACK, 1), Said("atari", BLACK, 2), Said("self_atari", BLACK)]
        said = [item for item in said if rules.values.get(item.code) != "none"]
        english, french = announced(said, "en", True)[0], announced(said, "fr", True)[0]
        how = Both(
            f"they are joined in one sentence: “{english}”.", f"elles sont réunies en une phrase : « {french} »."
        )
    return paragraph(which, how)


_MOVES = "b C3, w C3, w C2, b D2, w B3, b B2, w B1, b C1, w C2"


def _example(rules: PhantomRules) -> Iterator[Part]:
    """The same game as it was heard and as it stands on three gobans."""
    keys = ("announce", "atari", "self_atari", "impossible", "captures", "refused")
    spec = "phantom:" + ",".join(f"{key}={text_of(rules.values[key])}" for key in keys)
    yield Both("The beginning of a game, as it is heard:", "Le début d'une partie, tel qu'on l'entend :")
    yield dialogue(spec, _MOVES)
    yield Figure(
        "gobans",
        _GOBANS[text_of(rules.values["captures"])],
        (
            Diagram(spec, _MOVES, seat=BLACK, title=Both("Black's goban", "Le goban de Noir")),
            Diagram(spec, _MOVES, title=Both("The referee's", "Celui de l'arbitre")),
            Diagram(spec, _MOVES, seat=WHITE, title=Both("White's goban", "Le goban de Blanc")),
        ),
    )


_GOBANS = {
    "both": Both(
        "The three gobans after that. White's C2 was captured, and both players know it.",
        "Les trois gobans ensuite. La pierre blanche C2 a été capturée, et les deux joueurs le savent.",
    ),
    "owner": Both(
        "The three gobans after that. White's C2 was captured, and White alone knows that it was this one.",
        "Les trois gobans ensuite. La pierre blanche C2 a été capturée, et Blanc seul sait que c'est celle-là.",
    ),
}


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

_NAMED = Both(
    "What else is played under this name has a name as well: rules=olympiad or rules=openspiel among the options of "
    "the game, phantom:size=13,rules=olympiad for example, sets those below; what is given beside it goes before.",
    "Ce qui se joue d'autre sous ce nom a aussi un nom : rules=olympiad ou rules=openspiel parmi les options du jeu, "
    "par exemple phantom:size=13,rules=olympiad, fixe celles-ci ; ce que l'on donne en plus l'emporte.",
)


def _named(rules: PhantomRules) -> Table:
    """Every option in which the sets of rules by name differ from the source."""
    usual = type(rules)()
    sets = {"": usual, **{name: type(rules)({"rules": name}) for name in rules.rule_sets}}
    head = Both("Option", "Option"), Both("default", "défaut"), *(Both(n, n) for n in rules.rule_sets)
    rows = []
    for key, value in usual.values.items():
        texts = [text_of(each.values[key]) for each in sets.values()]
        if any(text != text_of(value) for text in texts):
            rows.append((Both(key, key), *(Both(text, text) for text in texts)))
    return Table(head, tuple(rows))


# The sources are named in rules/games/phantom.py.
_NAMED_NOTES = (
    Both(
        "olympiad: as at the Computer Olympiad since 2007 and in the papers on it (T. Cazenave, “A Phantom-Go "
        "Program”, 2006; chessprogramming.org, “Phantom Go”). The referee answers whether a move is legal, says how "
        "many stones are captured and tells only their owner which; he says nothing of atari. The rest is Go as "
        "programs play it, counted by area; komi and repetition stay as they are here.",
        "olympiad : comme aux Computer Olympiads depuis 2007 et dans les articles à leur sujet (T. Cazenave, « A "
        "Phantom-Go Program », 2006 ; chessprogramming.org, « Phantom Go »). L'arbitre répond si un coup est possible, "
        "dit combien de pierres sont capturées et ne montre lesquelles qu'à leur propriétaire ; il ne dit rien des "
        "ataris. Le reste est le go des programmes, où l'on compte la surface ; komi et répétition restent ici ce "
        "qu'ils sont.",
    ),
    Both(
        "openspiel: as phantom_go of OpenSpiel 2.0. A refused try shows what stands on its point, a stone seen like "
        "that stays in sight until it is captured, and whoever captures learns the number. A board that comes again is "
        "a draw, and a game ends after 4 tries for each point. Only sizes from 2 to 19 exist there, two passes end a "
        "game for good, and the handicap is taken off Black's points.",
        "openspiel : comme phantom_go d'OpenSpiel 2.0. Un coup impossible montre ce qui se trouve à l'intersection, "
        "une pierre ainsi vue reste visible jusqu'à sa capture, et qui capture apprend combien. Un état du goban qui "
        "revient fait partie nulle, et une partie s'arrête après 4 propositions par intersection. Là-bas, les tailles "
        "vont de 2 à 19, deux passes arrêtent la partie pour de bon, et le handicap est retiré des points de Noir.",
    ),
)

_OPTIONS = common.OPTIONS | {
    "repetition": paragraph(
        common.OPTIONS["repetition"],
        Both(
            "draw is as simple, and any other board that comes again ends the game in a draw.",
            "draw vaut simple, et tout autre état qui revient fait partie nulle.",
        ),
    ),
    "announce": Both(
        "Several announcements: list, one after the other, or joined in one sentence.",
        "Plusieurs annonces : list, l'une après l'autre ; joined, en une seule phrase.",
    ),
    "atari": Both(
        "Which enemy stones in atari are counted: new, those just put there, all, or none.",
        "Les pierres adverses en atari que l'on compte : new, celles qui viennent d'y être mises ; all, toutes ; none, "
        "aucune.",
    ),
    "self_atari": Both(
        "Of an own chain that stays in atari: always said again, or new_only; none, no own atari is said.",
        "D'une chaîne à soi qui reste en atari : always, on le répète ; new_only, on ne le dit qu'une fois ; none, on "
        "ne dit pas qu'elle y est.",
    ),
    "captures": Both(
        "Who is shown which stones were captured: both, or owner, who lost them; the other hears how many.",
        "Qui voit quelles pierres sont capturées : both, les deux ; owner, qui les perd ; l'autre entend combien.",
    ),
    "refused": Both(
        "An impossible move is silent about its reason, or what stands on the point is shown to the player.",
        "Un coup impossible : silent, sans raison ; shown, le joueur voit ce qui se trouve à l'intersection.",
    ),
    "in_a_row": Both(
        "Two passes in a row: turns, whatever was refused between them, or tries, with nothing between them.",
        "Deux passes de suite : turns, quoi qu'on ait refusé entre elles ; tries, sans rien entre elles.",
    ),
    "length": Both(
        "none, or the number of tries for each point after which the game is over.",
        "none, ou le nombre de propositions par intersection après lequel la partie est finie.",
    ),
    "impossible": Both(
        "Who hears of an impossible move: public, both, or private, the player alone.",
        "Qui entend « coup impossible » : public, les deux ; private, le joueur seul.",
    ),
}
