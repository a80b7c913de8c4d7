"""Aléago in words. Source: 000_b028ddfe0fa096f3.txt; the names of its parts are cited below."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, colour, counted, listing, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Plan, Section, Table, choices, spec_of
from gtp_variants.rules.diced import DiceKind, Faces
from gtp_variants.rules.games.aleago import TABLE, AleagoRules


def sections(rules: AleagoRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(Both("What you need", "Matériel"), tuple(_material(rules)))
    yield Section(Both("Drawing the line", "Tirage de la ligne"), tuple(_line(rules)))
    yield Section(Both("No room left?", "Plus de place ?"), tuple(_room(rules)))
    yield Section(
        Both("Capture and repetition", "Capture et répétition"),
        (_USUAL, common.CHAINS, common.capture(rules), common.repetition(rules), common.capture_figure()),
    )
    yield Section(
        Both("Passing, the end and the count", "Passer, finir et compter"),
        (_PASS, _end(rules), common.score(rules)),
    )
    yield Section(Both("What it changes", "Ce que ça change"), (_CHANGES,))
    yield choices(rules, _OPTIONS)


def dice_words(dice: DiceKind) -> Both:
    """ "2 dice with 6 faces"."""
    number = counted(dice.count, ("die", "dice"), ("dé", "dés"))
    faces = counted(dice.sides, ("face", "faces"), ("face", "faces"))
    return Both(f"{number.en} with {faces.en} ({dice})", f"{number.fr} à {faces.fr} ({dice})")


def _material(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Matériel", "Dés et goban"."""
    size, dice = rules.values["size"], dice_words(rules.dice)
    yield Both(
        f"Go with dice: before every turn a throw says on which line the stone may be placed. You need a goban of "
        f"{size}×{size}, its stones, and {dice.en}.",
        f"Le go aux dés : avant chaque coup, un tirage indique la ligne sur laquelle la pierre peut être posée. Il "
        f"vous faut un goban {size}×{size}, ses pierres et {dice.fr}.",
    )
    yield Both(
        "The usual pairs of dice and goban; the star is explained with the lines.",
        "Les couples usuels de dés et de goban ; l'étoile est expliquée avec les lignes.",
    )
    yes, no = Both("yes", "oui"), Both("no", "non")
    yield Table(
        (Both("dice", "dés"), Both("goban", "goban"), Both("star", "étoile")),
        tuple((Both(name, name), Both(f"{n}×{n}", f"{n}×{n}"), yes if star else no) for name, n, star in TABLE),
    )


# -- the line ---------------------------------------------------------------------------------------------------------


def _line(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Tirage de la ligne", "Dés et goban", "Variantes"."""
    yield paragraph(_DRAW if rules.dice.count == 1 else _DRAW_SUM, _lines(rules))
    yield Plan(_map(rules))
    yield Both("On the empty goban the totals open:", "Sur le goban vide, les nombres tirés ouvrent :")
    yield Items(tuple(map(_opens, _throws(rules))))
    told = [*_unreached(rules), *_agreements(rules)]
    if told:
        yield paragraph(*told)
    yield _draw_figure(rules)


_DRAW = Both(
    "Black begins on the empty goban. At the beginning of each of your turns you throw the die; only then do you "
    "choose a move. The number is that of the line where you may place your stone.",
    "Noir commence, sur le goban vide. Au début de chacun de vos tours vous lancez le dé ; vous ne choisissez "
    "qu'ensuite votre coup. Le nombre tiré est celui de la ligne où vous pouvez poser votre pierre.",
)
_DRAW_SUM = Both(
    "Black begins on the empty goban. At the beginning of each of your turns you throw the dice and add them; only "
    "then do you choose a move. The total is the number of the line where you may place your stone.",
    "Noir commence, sur le goban vide. Au début de chacun de vos tours vous lancez les dés et les additionnez ; vous "
    "ne choisissez qu'ensuite votre coup. Le total est le nombre de la ligne où vous pouvez poser votre pierre.",
)


def _lines(rules: AleagoRules) -> Both:
    """What the lines are."""
    if rules.mapping not in ("concentric", "original"):
        return Both(
            "Which number opens which point is a map of the players' own; a dot marks a point that no number opens.",
            "Les joueurs ont convenu de leur propre carte des nombres ; un point y marque une intersection qu'aucun "
            "nombre n'ouvre.",
        )
    middle = _TENGEN if rules.board.width % 2 else _FOUR
    squares = Both(
        "Lines are concentric squares and have nothing to do with coordinates: the first is the edge of the goban, the "
        f"last {middle.en}. This is the line of every point:",
        "Les lignes sont des carrés concentriques, sans rapport avec les coordonnées : la première est le bord du "
        f"goban, la dernière {middle.fr}. Voici la ligne de chaque intersection :",
    )
    if rules.mapping == "concentric":
        return squares
    return paragraph(_ORIGINAL, _NO_TENGEN if 0 in rules.lines else None, squares)


_TENGEN = Both("the centre point, the tengen", "se réduit au tengen")
_FOUR = Both("the four points in the middle", "est faite des quatre intersections centrales")
# Source: "Répartition originelle".
_ORIGINAL = Both(
    "It is the original mapping, in which no line replaces another.",
    "C'est la répartition originelle, où aucune ligne n'en remplace une autre.",
)
_NO_TENGEN = Both(
    "The tengen, a dot here, cannot be played.",
    "Le tengen, un point ici, est inaccessible.",
)


def _map(rules: AleagoRules) -> tuple[str, ...]:
    """The number of every point, row by row from the top."""
    side, width = rules.board.width, len(str(max(rules.lines)))
    signs = [str(line or ".").rjust(width) for line in rules.lines]
    return tuple(" ".join(signs[start : start + side]) for start in range(len(signs) - side, -1, -side))


@dataclass(frozen=True, slots=True)
class Throw:
    """Totals from `low` to `high` that open the same: `kind` is own, lines, below, all, again or none."""

    low: int
    high: int
    kind: str
    lines: tuple[int, ...] = ()


def _throws(rules: AleagoRules) -> list[Throw]:
    """What each total opens on the empty goban, equal neighbours together."""
    found: list[Throw] = []
    for total in range(rules.dice.count, rules.dice.highest + 1):
        kind, lines = _opened(rules, faces_of(rules.dice, total))
        last = found[-1] if found else None
        if last is not None and (last.kind, last.lines) == (kind, lines):
            found[-1] = replace(last, high=total)
        else:
            found.append(Throw(total, total, kind, lines))
    return found


def faces_of(dice: DiceKind, total: int) -> Faces:
    """Faces that make a total."""
    faces: list[int] = []
    for left in range(dice.count - 1, -1, -1):
        faces.append(min(dice.sides, total - sum(faces) - left))
    return tuple(faces)


def _opened(rules: AleagoRules, faces: Faces) -> tuple[str, tuple[int, ...]]:
    if not rules.stands_as_thrown(rules.dice, faces):
        return "again", ()
    if rules.opens_whole_board(rules.dice, faces):
        return "all", ()
    position = replace(rules.start(), draws=(rules.dice.outcome(faces),))
    lines = rules.open_lines(position) or ()
    drawn = rules.drawn_lines(rules.dice, faces)
    if not lines:
        return "none", ()
    if not drawn:
        return "below", lines
    return ("own", ()) if lines == (sum(faces),) else ("lines", lines)


def _opens(throw: Throw) -> Both:
    """ "1 to 5: the line of that number"."""
    several = throw.low != throw.high
    totals = Both(*(f"{throw.low} {word} {throw.high}" if several else str(throw.low) for word in ("to", "à")))
    lines = listing(throw.lines)
    many = len(throw.lines) > 1
    english, french = {
        "own": ("the line of that number", "la ligne de ce numéro"),
        "lines": (f"line{'s' * many} {lines.en}", f"{'les lignes' if many else 'la ligne'} {lines.fr}"),
        "below": (
            f"line {lines.en}, for there is no line of that number and the next one below serves",
            f"la ligne {lines.fr}, car il n'y a pas de ligne de ce numéro et la plus proche au-dessous en tient lieu",
        ),
        "all": (
            "the whole goban, as agreed for the highest double",
            "tout le goban, comme convenu pour le grand double",
        ),
        "again": ("nothing, throw again", "rien, relancez"),
        "none": ("nothing, you must pass", "rien, vous devez passer"),
    }[throw.kind]
    return Both(f"{totals.en}: {english}", f"{totals.fr} : {french}")


def _unreached(rules: AleagoRules) -> Iterator[Both]:
    """The star, and the lines that no total opens. Source: "Dés et goban", *."""
    dice = rules.dice
    starred = [line for line in rules.drawn_lines(dice, faces_of(dice, dice.highest)) if line != dice.highest]
    if starred:
        yield Both(
            f"The star: the highest total, {dice.highest}, also opens what no total names.",
            f"L'étoile : la plus haute valeur, {dice.highest}, donne aussi accès à ce qu'aucune valeur ne désigne.",
        )
    left = _unnamed(rules)
    low = [line for line in left if line < dice.count and rules.mapping != "original"]
    if low:
        names, many = listing(low), len(low) > 1
        yield Both(
            f"Line{'s' * many} {names.en} can be reached only when the lines above have no room.",
            f"On n'accède {'aux lignes' if many else 'à la ligne'} {names.fr} que si les lignes plus hautes n'ont plus "
            "de place.",
        )
    closed = [line for line in left if line not in low]
    if closed:
        names, many = listing(closed), len(closed) > 1
        yield Both(
            f"No throw ever opens line{'s' * many} {names.en}.",
            f"Aucun tirage n'ouvre jamais {'les lignes' if many else 'la ligne'} {names.fr}.",
        )


def _unnamed(rules: AleagoRules) -> list[int]:
    """The lines that no throw opens by itself."""
    dice = rules.dice
    throws = [faces_of(dice, total) for total in range(dice.count, dice.highest + 1)]
    if any(rules.opens_whole_board(dice, faces) for faces in throws):
        return []
    named = {line for faces in throws for line in rules.drawn_lines(dice, faces)}
    return [line for line in rules.on_line if line not in named]


def _agreements(rules: AleagoRules) -> Iterator[Both]:
    """Source: "Variantes"; "Vers la fin de la partie, les joueurs peuvent décider de n'utiliser qu'un seul dé"."""
    if rules.free_player is not None:
        name = colour(rules.free_player)
        yield Both(
            f"Handicap: {name.en} throws no dice and may play anywhere.",
            f"Handicap : {name.fr} est dispensé du tirage et peut jouer partout.",
        )
    if rules.values["crystal_ball"]:
        yield _CRYSTAL_BALL
    if rules.dice.count > 1:
        yield Both(
            "Towards the end of the game the players may agree to throw a single die from then on.",
            "Vers la fin de la partie, les joueurs peuvent décider de n'utiliser qu'un seul dé.",
        )


_CRYSTAL_BALL = Both(
    "Crystal ball: after your throw you wait for your opponent's next throw before you place your stone, so that the "
    "dice are always one turn ahead of the stones.",
    "Boule de cristal : après votre lancer, vous attendez de connaître le prochain lancer de votre adversaire avant "
    "de poser votre pierre ; les dés ont toujours un coup d'avance sur les pierres.",
)


def _draw_figure(rules: AleagoRules) -> Figure:
    """The start under the highest total that opens something, or the highest that stands if none does."""
    standing = [throw for throw in _throws(rules) if throw.kind != "again"]
    opening = [throw for throw in standing if throw.kind != "none"]
    total = (opening or standing)[-1].high
    opened = Both("The points marked are open.", "Les intersections marquées sont ouvertes.")
    if not opening:
        opened = Both("No point is open.", "Aucune intersection n'est ouverte.")
    spec = spec_of(rules, free_player="none", crystal_ball="false")
    faces = " ".join(map(str, faces_of(rules.dice, total)))
    return Figure(
        "draw",
        paragraph(Both(f"Black has thrown {total}.", f"Noir a tiré {total}."), opened),
        (Diagram(spec, f"chance {faces}"),),
    )


# -- when there is no room, and the end -------------------------------------------------------------------------------


def _room(rules: AleagoRules) -> Iterator[Part]:
    """Source: "Plus de place ?"; "Répartition originelle": "S'il n'y a plus de place, on est obligé de passer"."""
    if rules.mapping == "original":
        yield Both(
            "When every point of the line is taken or forbidden, you must pass.",
            "S'il n'y a plus de place sur la ligne, toutes les intersections étant occupées ou interdites, vous êtes "
            "obligé de passer.",
        )
        return
    ko = _KO_GIVES_NO_ROOM if rules.values["fallback_ko"] else _KO_IS_ROOM
    yield paragraph(
        Both(
            "When every point opened is taken or forbidden, play on the line just below the number drawn, and so on "
            "down to line 1, until one has room. It never goes up again: if line 1 has no room either, you must pass.",
            "Si toutes les intersections ouvertes sont occupées ou interdites, jouez sur la ligne juste « plus basse » "
            "que le nombre tiré, et ainsi de suite jusqu'à la première, dès que l'une a de la place. On ne remonte "
            "jamais : si la première n'en a pas non plus, vous devez passer.",
        ),
        None if rules.repetition == "none" else ko,
    )
    yield Both(
        "What counts is what is allowed, not what is good: a single open point, were it your own eye, keeps you on "
        "the line.",
        "Seul compte ce qui est permis, non ce qui est bon : une seule intersection libre, fût-elle votre propre œil, "
        "vous retient sur la ligne.",
    )
    yield Figure(
        "below",
        Both(
            "On a small goban with 1d3, White has thrown 3, but the tengen is taken: line 2 is open instead.",
            "Sur un petit goban avec 1d3, Blanc a tiré 3, mais le tengen est pris : la ligne 2 s'ouvre à sa place.",
        ),
        (Diagram("aleago:size=5,dice=1d3", "chance 3, b C3, chance 3"),),
    )


_KO_GIVES_NO_ROOM = Both(
    "A point forbidden as a repetition gives no room either.",
    "Une intersection interdite par la règle de répétition ne fait pas de place non plus.",
)
_KO_IS_ROOM = Both(
    "A point that only the rule on repetition forbids still counts as room: if there is no other, you must pass.",
    "Une intersection que seule la règle de répétition interdit compte comme de la place : s'il n'y en a pas d'autre, "
    "vous devez passer.",
)
# Source: "Aux règles que vous utilisez habituellement, on ajoute le tirage".
_USUAL = Both("For the rest, the usual rules of Go hold.", "Pour le reste, les règles habituelles du go s'appliquent.")
# Source: "Passer".
_PASS = Both(
    "You may always pass, for example when the throw leaves you nothing but bad moves. You do not throw again, and a "
    "forced pass is a pass like any other.",
    "Vous pouvez toujours passer, par exemple si le tirage ne vous laisse que de mauvais coups. On ne relance pas, et "
    "une passe forcée est une passe comme une autre.",
)


def _end(rules: AleagoRules) -> Both:
    """Source: "Passer": "ils ne font qu'attendre un tirage jouable"; "le deuxième joueur voulant passer"."""
    passes = counted(rules.end_passes, ("pass", "passes"), ("passe", "passes"))
    english, french = f"After {passes.en}", f"Après {passes.fr}"
    if rules.end_passes > 1:
        english, french = f"{english} in a row", f"{french} d'affilée"
    if rules.reopens:
        return Both(
            f"{english} the game is only suspended, for the players may just be waiting for a better throw. Whoever "
            "still wants to play says so, and the game goes on with the next throw; if nobody does, it is over.",
            f"{french}, la partie n'est que suspendue, car les joueurs peuvent ne faire qu'attendre un tirage jouable. "
            "Qui veut encore jouer le dit, et la partie reprend au tirage suivant ; si personne ne le veut, elle est "
            "finie.",
        )
    return Both(
        f"{english} the game is over at once. Whoever wants it to go on must place a stone instead of making the last "
        "of these passes.",
        f"{french}, la partie est aussitôt finie. Qui veut la poursuivre est obligé de jouer au lieu de faire la "
        "dernière de ces passes.",
    )


# Source: "Ce que ça change".
_CHANGES = Items(
    (
        Both(
            "Cuts: you can no longer count on capturing a stone that puts itself in atari, because the dice may not "
            "let you. A diagonal move or a bamboo joint can be cut; a solid move is worth its price.",
            "Connexions : on ne peut plus compter capturer une pierre qui se met en atari, car le tirage peut ne pas "
            "le permettre. Le kosumi et le nœud de bambou peuvent être coupés ; consolider vaut son prix.",
        ),
        Both(
            "Eyes: a vital eye high on the goban holds you on its line, while the lines below may be what you need.",
            "Yeux : un œil vital « haut sur le goban » vous bloque au niveau de cette ligne, alors que les lignes du "
            "dessous pourraient vous être utiles.",
        ),
    )
)

_OPTIONS = common.OPTIONS | {
    "dice": Both("Any dice, such as 1d4, 1d10 or 2d6.", "N'importe quels dés, comme 1d4, 1d10 ou 2d6."),
    "star": Both(
        "Whether the highest total also opens the lines that no total names (true, false).",
        "Si la plus haute valeur ouvre aussi les lignes qu'aucune valeur ne désigne (true, false).",
    ),
    "star_lines": Both(
        "Which lines the star opens: all that no total names, or only the inner ones.",
        "Les lignes qu'ouvre l'étoile : all, toutes celles qu'aucune valeur ne désigne ; inner, les seules lignes "
        "intérieures.",
    ),
    "overflow": Both(
        "A total that names no line: fallback to the next line below, reroll, or pass.",
        "Une valeur qui ne désigne aucune ligne : fallback, la plus proche au-dessous ; reroll, on relance ; pass, on "
        "passe.",
    ),
    "fallback_ko": Both(
        "Whether a line whose only free points would repeat a position is without room (true, false).",
        "Si une ligne dont les seules intersections libres répéteraient une position est sans place (true, false).",
    ),
    "double_whole_board": Both(
        "With several dice, whether the highest double opens the whole goban (true, false).",
        "Avec plusieurs dés, si le plus grand double laisse l'accès à tout le goban (true, false).",
    ),
    "mapping": Both(
        "concentric; original: without the tengen, the star and the lines below; or rows of numbers from the top, such "
        "as 1.1.1/1.2.1/1.1.1.",
        "concentric ; original : sans le tengen, l'étoile ni les lignes plus basses ; ou des rangées de nombres à "
        "partir du haut, comme 1.1.1/1.2.1/1.1.1.",
    ),
    "end_passes": Both(
        "How many passes in a row suspend or end the game.",
        "Le nombre de passes d'affilée qui suspendent ou finissent la partie.",
    ),
    "agreement": Both(
        "Whether these passes only suspend the game until both agree (true), or end it (false).",
        "Si ces passes ne font que suspendre la partie jusqu'à l'accord des deux joueurs (true) ou la finissent "
        "(false).",
    ),
    "free_player": Both(
        "As a handicap, b or w plays without dice; none: nobody.",
        "En handicap, b (Noir) ou w (Blanc) joue sans dés ; none : personne.",
    ),
    "crystal_ball": Both(
        "Whether you know your opponent's next throw before you place your stone (true, false).",
        "Si l'on connaît le prochain lancer de l'adversaire avant de poser sa pierre (true, false).",
    ),
}
