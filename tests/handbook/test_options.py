"""Every option that changes the rules changes the explained rules in both languages."""

import random
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from gtp_variants.errors import SpecError
from gtp_variants.handbook.chapter import Choices, Figure, Items, Plan, Section, TextTable, figures
from gtp_variants.handbook.localised_text import Text
from gtp_variants.handbook.pages import CHAPTERS, chapter
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.options import Option, text_of

# Game, key -> the SPEC it starts from, then value, what is told in English, in French. What stands there is told
# only with that value; the value of the start is told with it only, too.
CASES: dict[tuple[str, str], tuple[str, tuple[tuple[str, str, str], ...]]] = {
    ("go", "size"): ("go", (("19", "19×19", "19×19"), ("9", "9×9", "9×9"), ("25", "25×25", "25×25"))),
    ("go", "width"): ("go", (("none", "19×19", "19×19"), ("9", "of 9×19", "de 9×19"))),
    ("go", "height"): ("go", (("none", "19×19", "19×19"), ("13", "19×13", "19×13"))),
    ("aleago", "size"): ("aleago:dice=1d6", (("13", "goban of 13×13", "goban 13×13"), ("7", "of 7×7", "goban 7×7"))),
    ("aleago", "dice"): (
        "aleago:size=19",
        (
            ("1d8", "1 die with 8 faces (1d8)", "1 dé à 8 faces (1d8)"),
            ("1d10", "1 die with 10 faces (1d10)", "1 dé à 10 faces (1d10)"),
            ("2d6", "2 dice with 6 faces (2d6)", "2 dés à 6 faces (2d6)"),
        ),
    ),
    ("aleago", "star"): (
        "aleago",
        (
            ("true", "The star: the highest total, 6,", "L'étoile : la plus haute valeur, 6,"),
            ("false", "No throw ever opens line 7.", "Aucun tirage n'ouvre jamais la ligne 7."),
        ),
    ),
    ("aleago", "star_lines"): (
        "aleago:size=19,dice=2d4",
        (
            ("all", "8: lines 1, 8, 9 and 10", "8 : les lignes 1, 8, 9 et 10"),
            ("inner", "8: lines 8, 9 and 10", "8 : les lignes 8, 9 et 10"),
        ),
    ),
    ("aleago", "overflow"): (
        "aleago:size=19,dice=2d6",
        (
            ("fallback", "11 to 12: line 10, because no line has that", "11 à 12 : la ligne 10, car il n'y a pas"),
            ("reroll", "11 to 12: nothing, throw again", "11 à 12 : rien, relancez"),
            ("pass", "11 to 12: nothing, you must pass", "11 à 12 : rien, vous devez passer"),
        ),
    ),
    ("aleago", "fallback_ko"): (
        "aleago",
        (
            ("true", "A point forbidden as a repetition gives no room", "Une intersection interdite par la règle de"),
            ("false", "repetition forbids still counts as room", "répétition interdit compte comme de la place"),
        ),
    ),
    ("aleago", "double_whole_board"): (
        "aleago:size=19,dice=2d6",
        (
            ("false", "11 to 12: line 10", "11 à 12 : la ligne 10"),
            ("true", "12: the whole goban, as agreed for the", "12 : tout le goban, comme convenu"),
        ),
    ),
    ("aleago", "mapping"): (
        "aleago:size=3,dice=1d2",
        (
            ("concentric", "1 2 1", "1 2 1"),
            ("original", "This game uses the original lines", "C'est la répartition originelle"),
            ("1.1.1/2.2.2/1.1.1", "2 2 2", "2 2 2"),
        ),
    ),
    ("aleago", "end_passes"): (
        "aleago",
        (
            ("2", "After 2 passes in a row", "Après 2 passes d'affilée"),
            ("1", "After 1 pass the", "Après 1 passe,"),
            ("5", "After 5 passes in a row", "Après 5 passes d'affilée"),
        ),
    ),
    ("aleago", "agreement"): (
        "aleago",
        (
            ("true", "the game is only suspended", "la partie n'est que suspendue"),
            ("false", "the game is over at once", "la partie est aussitôt finie"),
        ),
    ),
    ("aleago", "free_player"): (
        "aleago",
        (
            ("none", "", ""),
            ("b", "Black throws no dice", "Noir est dispensé du tirage"),
            ("w", "White throws no dice", "Blanc est dispensé du tirage"),
        ),
    ),
    ("aleago", "crystal_ball"): ("aleago", (("false", "", ""), ("true", "Crystal ball", "Boule de cristal"))),
    ("phantom", "size"): ("phantom", (("9", "3 gobans of 9×9", "3 gobans 9×9"), ("13", "of 13×13", "gobans 13×13"))),
    ("phantom", "announce"): (
        "phantom",
        (
            ("list", "all are said one after the other", "toutes sont dites l'une après l'autre"),
            ("joined", "captures 1 white stone and puts 1 white stone in atari", "capture 1 pierre blanche et met 1"),
        ),
    ),
    ("phantom", "atari"): (
        "phantom",
        (
            ("new", "stones already in atari are not", "non celles qui l'étaient déjà"),
            ("all", "all enemy stones in atari after the move", "toutes les pierres adverses en atari"),
            ("none", "neither of the two above applies", "aucune des deux annonces"),
        ),
    ),
    ("phantom", "self_atari"): (
        "phantom",
        (
            ("always", "even if it was in atari before", "même si elle était déjà en atari"),
            ("new_only", "not repeated for a chain that was in atari", "on ne le répète pas"),
            ("none", "neither of the two above applies", "aucune des deux annonces"),
        ),
    ),
    ("phantom", "impossible"): (
        "phantom",
        (
            ("public", "aloud, so that both hear it", "à voix haute, si bien que les deux"),
            ("private", "(to White alone)", "(à Blanc seul)"),
        ),
    ),
    ("phantom", "captures"): (
        "phantom",
        (
            ("both", "the referee shows both players which", "montre aux joueurs lesquelles"),
            ("owner", "shows their owner which stones, and nobody else", "montre lesquelles à leur propriétaire, et à"),
        ),
    ),
    ("phantom", "refused"): (
        "phantom",
        (
            ("silent", "The referee never says why.", "L'arbitre ne dit jamais laquelle"),
            ("shown", "shows you alone what stands on the point", "montre à vous seul ce qui se trouve"),
        ),
    ),
    ("phantom", "in_a_row"): (
        "phantom",
        (("turns", "", ""), ("tries", "with a refused try between them do not", "séparées par un coup impossible")),
    ),
    ("phantom", "length"): (
        "phantom",
        (("none", "", ""), ("4", "After 324 tries", "Après 324 propositions"), ("1", "After 81", "Après 81")),
    ),
    ("rosette", "n"): (
        "rosette",
        (
            ("7", "127 hexagons, 7 on a side, played on its 294", "127 hexagones, 7 de côté, et l'on joue sur ses 294"),
            ("5", "61 hexagons, 5 on a side, played on its 150", "61 hexagones, 5 de côté, et l'on joue sur ses 150"),
            ("1", "1 hexagon, 1 on a side, played on its 6", "1 hexagone, 1 de côté, et l'on joue sur ses 6"),
        ),
    ),
    ("rosette", "immunity"): (
        "rosette",
        (("true", "is never captured", "est imprenable"), ("false", "it is not immune", "elle n'est pas imprenable")),
    ),
    ("rosette", "rosette_suicide"): (
        "rosette",
        (
            ("illegal", "You may not fill", "Vous ne pouvez pas supprimer"),
            ("legal", "You may fill", "Vous pouvez supprimer"),
        ),
    ),
    ("rosette", "supply"): (
        "rosette",
        (
            ("none", "There are always enough stones", "Les pierres ne manquent jamais"),
            ("150", "Each colour has 150 stones", "Chaque couleur a 150 pierres"),
            ("1", "Each colour has 1 stone;", "Chaque couleur a 1 pierre ;"),
            (
                "9/1",
                "There are 9 stones for Black and 1 stone for White;",
                "Il y a 9 pierres pour Noir et 1 pierre pour",
            ),
        ),
    ),
    ("alter-igo", "width"): ("alter-igo", (("9", "9 columns", "9 colonnes"), ("5", "5 columns", "5 colonnes"))),
    ("alter-igo", "height"): ("alter-igo", (("9", "9 rows", "9 rangées"), ("3", "3 rows", "3 rangées"))),
    ("alter-igo", "first"): (
        "alter-igo",
        (("b", "Black begins", "Noir commence"), ("w", "White begins", "Blanc commence")),
    ),
    ("alter-igo", "repetition"): (
        "alter-igo",
        (
            ("board", "with either player to move", "quel que soit le joueur dont"),
            ("situation", "with the same player to move", "avec le même joueur dont"),
        ),
    ),
    ("alter-igo", "repeat_count"): (
        "alter-igo",
        (("3", "occurred 3 times", "présentée 3 fois"), ("4", "occurred 4 times", "présentée 4 fois")),
    ),
    ("alter-igo", "white_passes"): (
        "alter-igo",
        (
            ("0", "There is no passing", "On ne passe pas"),
            ("1", "White may pass 1 time in", "Blanc peut passer 1 fois dans"),
            ("6", "White may pass 6 times in", "Blanc peut passer 6 fois dans"),
        ),
    ),
    ("pentalath", "board"): (
        "pentalath",
        (("trapezoid", "a trapezium", "un trapèze"), ("hexhex5", "Yavalath", "Yavalath")),
    ),
    ("pentalath", "players"): (
        "pentalath",
        (
            ("2", "2 players: White and Black", "2 joueurs : Blanc et Noir"),
            ("3", "3 players: White, Black and Red", "3 joueurs : Blanc, Noir et Rouge"),
        ),
    ),
    ("pentalath", "repetition"): (
        "pentalath",
        (
            ("none", "", ""),
            ("draw3", "occurred 3 times, the game is a draw", "présentée 3 fois, la partie est nulle"),
            ("draw3_situation", "3 times with the same player to move", "3 fois avec le même joueur dont"),
        ),
    ),
    ("pentalath", "no_move"): (
        "pentalath",
        (
            ("draw", "has no move, the game is a draw", "n'a aucun coup, la partie est nulle"),
            ("loss", "has no move loses", "n'a aucun coup perd"),
            ("pass", "has no move passes", "n'a aucun coup passe"),
        ),
    ),
    ("pentalath", "supply"): (
        "pentalath",
        (
            ("none", "There are always enough discs", "Les disques ne manquent jamais"),
            ("40", "Each colour has 40 discs", "Chaque couleur a 40 disques"),
            ("40/30", "There are 40 discs for White and 30", "Il y a 40 disques pour Blanc et 30"),
        ),
    ),
    ("pentalath", "swap"): ("pentalath", (("false", "", ""), ("true", "Swap: after", "Échange : après"))),
}
for _game in ("go", "aleago", "phantom", "rosette"):
    CASES[_game, "komi"] = (
        _game,
        (
            ("7.5", "White gets 7.5 points more", "Blanc reçoit en plus 7,5 points"),
            ("0.5", "White gets 0.5 point more", "Blanc reçoit en plus 0,5 point,"),
            ("6", "White gets 6 points more", "Blanc reçoit en plus 6 points"),
            ("0", "komi 0", "komi 0"),
            ("-3", "Black gets 3 points more", "Noir reçoit 3 points de plus"),
        ),
    )
    CASES[_game, "repetition"] = (
        _game,
        (
            ("none", "even a ko may be retaken", "même un ko se reprend"),
            ("simple", "Ko: a stone may not", "Ko : une pierre"),
            ("psk", "(positional superko)", "(superko positionnel)"),
            ("ssk", "(situational superko)", "(superko situationnel) :"),
            ("nssk", "(natural situational superko)", "(superko situationnel naturel)"),
        ),
    )
    CASES[_game, "dead"] = (
        _game,
        (
            ("none", "No stone is taken off as dead", "Aucune pierre n'est"),
            ("agreed", "both players agree", "s'accordent"),
            ("judged", "a search judges dead", "juge mortes"),
        ),
    )
    CASES[_game, "scoring"] = (
        _game,
        (
            ("area", "Each of your stones on the board is a point", "Chacune de vos pierres encore en jeu"),
            ("territory", "Each enemy stone that has left the board is a point", "Chaque pierre adverse qui a quitté"),
        ),
    )
    CASES[_game, "handicap_bonus"] = (
        _game,
        (
            ("0", "", ""),
            ("N", "For N handicap stones White gets N points", "Pour N pierres de handicap, Blanc reçoit N points"),
            ("N-1", "For N handicap stones White gets N-1 points", "Pour N pierres de handicap, Blanc reçoit N-1"),
        ),
    )
    CASES[_game, "komi_in_handicap"] = (
        _game,
        (("true", "", ""), ("false", "In a handicap game the komi is", "Dans une partie à handicap, le komi est")),
    )
    CASES[_game, "button"] = (_game, (("false", "", ""), ("true", "takes the button", "prend le bouton")))
    if _game != "phantom":
        CASES[_game, "suicide"] = (
            _game,
            (
                ("false", "You may not leave a chain of your own", "Il est interdit de construire"),
                ("true", "A single stone may not do this", "Une pierre seule n'en a pas le droit"),
            ),
        )
_SPEC, _TOLD = CASES["phantom", "repetition"]
CASES["phantom", "repetition"] = (
    _SPEC,
    (*_TOLD, ("draw", "(with a draw by repetition)", "(avec nulle par répétition)")),
)


def told(section: Section, lang: str) -> Iterator[str]:
    """Everything a section says in words, the options apart."""
    yield section.heading.render(lang)
    for part in section.parts:
        match part:
            case Text():
                yield part.render(lang)
            case Items():
                yield from (item.render(lang) for item in part.items)
            case TextTable():
                yield from (cell.render(lang) for row in (part.head, *part.rows) for cell in row)
            case Plan():
                yield from part.rows
            case Figure():
                yield part.caption.render(lang)
                yield from (board.title.render(lang) for board in part.diagrams if board.title is not None)


def prose(spec: str, lang: str) -> str:
    """The text of a chapter without its options, with ordinary blanks."""
    sections = chapter(parse(spec, {"lang": lang}))
    return "\n".join(words for section in sections for words in told(section, lang)).replace("\u00a0", " ")


def with_option(spec: str, key: str, value: str) -> str:
    return f"{spec}{',' if ':' in spec else ':'}{key}={value}"


def test_there_is_a_case_for_every_option_of_a_chapter() -> None:
    keys = {(game, option.key) for game in CHAPTERS for option in game_class(game).options}
    assert set(CASES) == keys - {(game, "lang") for game in CHAPTERS}


def test_a_game_without_a_chapter_is_described_by_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CHAPTERS, "pentalath")
    (section,) = chapter(parse("pentalath"))
    choices = section.parts[-1]
    assert isinstance(choices, Choices)
    (meaning,) = [meaning for option, meaning in choices.options if option == "no_move=draw"]
    english = next(each.meaning for each in game_class("pentalath").options if each.key == "no_move")
    assert [meaning.render(lang) for lang in ("en", "fr")] == [english, "quand il n'y a plus de coup"]


@pytest.mark.parametrize(("game", "key"), CASES)
def test_every_word_an_option_takes_is_tried(game: str, key: str) -> None:
    option = next(option for option in game_class(game).options if option.key == key)
    tried = [value for value, _, _ in CASES[game, key][1]]
    assert set(option.words()) <= set(tried)
    assert len(tried) > 1


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("game", "key"), CASES)
def test_the_text_follows_the_option_and_names_its_value(game: str, key: str, lang: str) -> None:
    base, cases = CASES[game, key]
    texts = {value: prose(with_option(base, key, value), lang) for value, _, _ in cases}
    assert len(set(texts.values())) == len(texts), "two values are told alike"
    for value, english, french in cases:
        phrase = english if lang == "en" else french
        if phrase:
            says_so = [other for other, text in texts.items() if phrase in text]
            assert says_so == [value], phrase


@pytest.mark.parametrize(("game", "key"), CASES)
def test_the_options_in_force_are_listed(game: str, key: str) -> None:
    base, cases = CASES[game, key]
    for value, _, _ in cases:
        rules = parse(with_option(base, key, value))
        (listed,) = [part for section in chapter(rules) for part in section.parts if isinstance(part, Choices)]
        shown = [each.key for each in rules.options if each.key != "lang" and each.applies(rules.values)]
        expected = [f"{each}={text_of(rules.values[each])}" for each in shown]
        assert [option for option, _ in listed.options] == expected
        assert f"{key}={value}" in expected


# -- any mix of options -----------------------------------------------------------------------------------------------


def drawn(option: Option, rng: random.Random) -> str | None:
    """A value an option may have, None for its default."""
    if option.kind == "int":
        return str(rng.choice([option.low or 1, (option.low or 1) + 1, rng.randint(3, min(option.high or 12, 12))]))
    if option.key == "dice":
        return rng.choice(["1d1", "1d4", "2d4", "2d6", "3d3", "1d20"])
    if option.kind == "float":
        return rng.choice(["-0.5", "0", "1", "7.5", "0.1"])
    return rng.choice(option.words()) if option.words() else None


def mixes(count: int) -> Iterator[str]:
    """SPECs of every game with options at random."""
    rng = random.Random(5)
    for game in GAMES:
        for _ in range(count):
            given = {option.key: drawn(option, rng) for option in game_class(game).options if option.key != "lang"}
            spec = f"{game}:" + ",".join(f"{key}={value}" for key, value in given.items() if value is not None)
            # On the smallest boards it may be that no throw ever stands.
            with suppress(SpecError):
                parse(spec)
                yield spec


MIXES = list(mixes(12))


@pytest.mark.parametrize("spec", [*GAMES, *MIXES])
def test_any_mix_of_options_is_explained_in_both_languages(spec: str) -> None:
    english, french = prose(spec, "en"), prose(spec, "fr")
    assert english.count("\n") == french.count("\n")
    for text in (english, french):
        # No unfilled blank, no empty sentence, nothing that Markdown would take for more than a letter.
        assert not set("{}*`<>|#\\") & set(text)
        assert not re.search(r"(?<![a-z])_|_(?![a-z])", text)
        assert "None" not in text
        assert ".." not in text


@pytest.mark.parametrize("spec", [*GAMES, *MIXES])
def test_every_diagram_is_a_game_the_rules_played(spec: str) -> None:
    sections = chapter(parse(spec))
    names = [figure.name for figure in figures(sections)]
    assert 2 <= len(names) == len(set(names))
    for figure in figures(sections):
        assert len(figure.diagrams) == 1 or all(board.title for board in figure.diagrams)
        for board in figure.diagrams:
            game = board.game("fr")
            assert game.rules.lang == "fr"
            if board.forbidden:
                point = game.rules.board.point(board.forbidden)
                assert not game.position.stones[point]
                assert point not in game.rules.legal(game.position)
                assert board.forbidden in figure.caption.render("en")
                assert board.forbidden in figure.caption.render("fr")
