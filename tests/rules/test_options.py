"""SPECs, which name a game and its options (rules.md, "Options by name"; gtp.md 1)."""

import pickle
from typing import Any

import pytest

from gtp_variants.errors import SpecError
from gtp_variants.rules import AMONG_PEOPLE, GAMES, game_class, parse, split_spec
from gtp_variants.rules.options import Option

# All keys of every game in order, with their defaults as printed in rules.md.
DEFAULTS = {
    "go": "size=19,komi=7.5,repetition=psk,dead=judged,suicide=false,scoring=area,lang=en",
    "aleago": "size=13,dice=1d6,star=true,star_lines=all,overflow=fallback,fallback_ko=true,double_whole_board=false,"
    "mapping=concentric,end_passes=2,agreement=true,free_player=none,crystal_ball=false,komi=7.5,repetition=ssk,"
    "dead=none,lang=en",
    "phantom": "size=9,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,dead=none,"
    "lang=en",
    "rosette": "n=7,komi=7.5,immunity=true,rosette_suicide=illegal,repetition=nssk,supply=none,dead=none,lang=en",
    "alter-igo": "width=9,height=9,first=b,repetition=board,repeat_count=3,white_passes=0,lang=en",
    "pentalath": "board=trapezoid,players=2,repetition=none,no_move=draw,supply=none,swap=false,lang=en",
}

# All values that rules.md allows for a key besides its default, and the ends of every range.
VALUES = {
    "go": """
        size=1 size=25 komi=0 komi=-3.5 repetition=none repetition=simple repetition=ssk repetition=nssk
        dead=agreed lang=fr width=9 height=25 suicide=true scoring=territory handicap_bonus=N handicap_bonus=N-1
        komi_in_handicap=false button=true
    """,
    "aleago": """
        size=1 size=25 dice=1d4 dice=3d20 star=false star_lines=inner overflow=reroll overflow=pass
        fallback_ko=false double_whole_board=true mapping=original end_passes=1 end_passes=5 agreement=false
        free_player=b free_player=w crystal_ball=true komi=0.5 repetition=none repetition=simple repetition=psk
        repetition=nssk dead=agreed lang=fr suicide=true scoring=territory handicap_bonus=N button=true
    """,
    "phantom": """
        size=13 size=1 size=25 komi=5.5 repetition=none repetition=simple repetition=psk repetition=nssk
        announce=joined atari=all self_atari=new_only impossible=private dead=agreed lang=fr
        repetition=draw atari=none self_atari=none captures=owner refused=shown in_a_row=tries length=1 length=60
        scoring=territory handicap_bonus=N-1 komi_in_handicap=false button=true
    """,
    "rosette": """
        n=1 n=5 n=13 komi=0 immunity=false rosette_suicide=legal repetition=none repetition=simple
        repetition=psk repetition=ssk supply=1 supply=150 supply=9/8 dead=agreed lang=fr suicide=true
        scoring=territory handicap_bonus=N button=true
    """,
    "alter-igo": """
        width=1 width=25 height=1 height=25 first=w repetition=situation repeat_count=4 white_passes=6 lang=fr
    """,
    "pentalath": """
        board=hexhex5 players=3 repetition=draw3 repetition=draw3_situation no_move=loss no_move=pass supply=40
        supply=1 supply=40/30 swap=true lang=fr
    """,
}

# Keys that follow others: dice set the default of the star, and a width or height replaces the size.
_FOLLOWING = ("star", "dice", "size")

WRONG = {
    "go": """
        size=0 size=26 size= size=nine size=9.5 size=1e1 komi=nan komi=inf komi=1e99 komi= komi=7;5
        repetition=super dead=true lang=de width=26 suicide=maybe scoring=stones handicap_bonus=N-2 rules=japanes
    """,
    "aleago": """
        dice= dice=6 dice=d6 dice=0d6 dice=1d0 dice=9d99 dice=1d6d6 star=yes star=1 star_lines=outer
        overflow=climb mapping=none mapping=1.2/3 end_passes=0 free_player=r crystal_ball=none mapping=1.1/1.1
        mapping=1.-1/1.1
    """,
    "phantom": """
        announce=both atari=old self_atari=never impossible=secret width=9 captures=none refused=true in_a_row=3
        length=0 rules=olympia rules=
    """,
    "rosette": """
        n=0 n=14 immunity=maybe rosette_suicide=true supply=0 supply=4/ supply=4/0 supply=4/5/6 size=7
    """,
    "alter-igo": """
        width=0 height=26 first=r repetition=psk repeat_count=0 white_passes=-1 komi=7.5
    """,
    "pentalath": """
        board=square players=1 players=4 repetition=psk no_move=win supply=-1 supply=40/40/30 supply=40/none swap=2
    """,
}


def cases(table: dict[str, str]) -> list[str]:
    return [f"{name}:{option}" for name, options in table.items() for option in options.split()]


def test_the_register_holds_the_six_games() -> None:
    assert set(GAMES) == set(DEFAULTS)
    for name in GAMES:
        assert game_class(name).name == name
        assert game_class(name).title


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_key_with_its_default_in_order(name: str) -> None:
    """rules.md, "Options by name": "`variant-get` prints every key of the game in this order"."""
    assert parse(name).spec == f"{name}:{DEFAULTS[name]}"


@pytest.mark.parametrize("spec", cases(VALUES))
def test_every_value_is_read_and_printed(spec: str) -> None:
    """rules.md, "Options by name": "Every key below works in a SPEC"."""
    name, option = spec.split(":")
    printed = parse(spec).spec.removeprefix(f"{name}:").split(",")
    assert option in printed
    key = option.split("=")[0]
    others = {text for text in DEFAULTS[name].split(",") if text.split("=")[0] not in (key, *_FOLLOWING)}
    assert others <= set(printed)


@pytest.mark.parametrize("spec", cases(VALUES))
def test_a_printed_spec_names_the_same_rules(spec: str) -> None:
    rules = parse(spec)
    assert parse(rules.short_spec) == rules
    assert set(rules.short_spec.partition(":")[2].split(",")) <= {"", *rules.spec.partition(":")[2].split(",")}
    again = parse(rules.spec)
    assert again == rules
    assert hash(again) == hash(rules)
    assert again.spec == rules.spec
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert rules != parse(spec.split(":")[0])
    assert rules != rules.spec
    assert repr(rules) == f"gtp_variants.parse({rules.spec!r})"


@pytest.mark.parametrize(
    "short",
    ["go", "aleago", "aleago:size=19,dice=2d6,star=true", "phantom:size=5,lang=fr", "pentalath:players=3", "alter-igo"],
)
def test_a_short_spec_leaves_out_what_is_so_by_default(short: str) -> None:
    assert parse(short).short_spec == short
    assert parse("aleago:size=19,dice=2d4,star=true").short_spec == "aleago:size=19,dice=2d4"


@pytest.mark.parametrize("spec", cases(WRONG))
def test_a_wrong_key_or_value_is_an_error(spec: str) -> None:
    """gtp.md 1: "An unknown name, key or value is an error that lists what is known"."""
    with pytest.raises(SpecError) as caught:
        parse(spec)
    assert spec.split(":")[1].split("=")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "known"),
    [
        ("chess", ["go", "aleago", "phantom", "rosette", "alter-igo", "pentalath"]),
        ("", ["go", "pentalath"]),
        ("go:handicap=3", ["size", "komi", "repetition", "dead", "lang"]),
        ("alter-igo:komi=3", ["width", "height", "lang", "size"]),
        ("phantom:dice=1d6", ["size", "lang", "rules"]),
        ("go:repetition=aga", ["none", "simple", "psk", "ssk", "nssk"]),
        ("go:size=99", ["1 to 25"]),
        ("go:dead=perhaps", ["agreed", "none"]),
        ("aleago:star=maybe", ["true", "false"]),
        ("aleago:dice=six", ["1d6"]),
        ("rosette:supply=0", ["1 or more", "none"]),
        ("go:komi=much", ["number"]),
    ],
)
def test_an_error_lists_what_is_known(spec: str, known: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        parse(spec)
    assert all(word in str(caught.value) for word in known)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("chess", "jeu inconnu 'chess', il y a\u00a0: go aleago phantom rosette alter-igo pentalath"),
        ("go:sise=9", "option inconnue 'sise' de go, il y a\u00a0: size width height komi repetition "
         "dead suicide scoring handicap_bonus komi_in_handicap button lang rules\u00a0; vouliez-vous dire size\u00a0?"),
        ("go:size", "'size'\u00a0: il faut option=valeur"),
        ("go:size=9,size=9", "size\u00a0: donné deux fois"),
        ("go:size=99", "size=99\u00a0: il faut un nombre de 1 à 25"),
        ("go:komi=much", "komi=much\u00a0: il faut un nombre comme 7.5"),
        ("go:komi=1e13", "komi=1e13\u00a0: il faut un nombre de -1e12 à 1e12"),
        ("go:dead=perhaps", "dead=perhaps\u00a0: il faut agreed, judged ou none"),
        ("aleago:star=maybe", "star=maybe\u00a0: il faut true ou false"),
        ("aleago:dice=six", "dice=six\u00a0: il faut des dés comme 1d6 ou 2d4, d'au plus 100000 lancers différents"),
        ("rosette:supply=0",
         "supply=0\u00a0: il faut un nombre d'au moins 1, un tel nombre par couleur, comme 40/30 ou none"),
        ("aleago:size=3,mapping=1.1/1.1", "mapping\u00a0: 2 lignes, il en faut 3 sur ce plateau"),
        ("aleago:size=3,dice=5d2,overflow=reroll,star=false",
         "overflow=reroll\u00a0: aucun total de 5d2 ne désigne de ligne de ce plateau"),
    ],
)  # fmt: skip
def test_an_error_is_told_in_french(spec: str, reason: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse(spec)
    assert caught.value.reason("fr") == reason
    assert caught.value.reason("en") == str(caught.value) != reason


@pytest.mark.parametrize("spec", ["go:size", "go:size=9,", "go:,size=9", "go:size=9,size=9", "go:=9", "go:komi=7,5"])
def test_a_garbled_spec_is_an_error(spec: str) -> None:
    with pytest.raises(SpecError):
        parse(spec)


@pytest.mark.parametrize("spec", [None, 5, b"go"])
def test_only_text_is_read_as_a_spec(spec: Any) -> None:
    with pytest.raises(SpecError) as caught:
        parse(spec)
    assert str(caught.value) == f"{spec!r}: expected a SPEC such as go:size=9"
    assert caught.value.reason("fr") == f"{spec!r}\u00a0: il faut un SPEC comme go:size=9"


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("fantome", "phantom"),
        ("fantôme", "phantom"),
        ("alterigo", "alter-igo"),
        ("epago", "alter-igo"),
        ("ndengrod", "pentalath"),
        ("Aléago", "aleago"),
        ("GO", "go"),
    ],
)
def test_aliases(alias: str, name: str) -> None:
    """gtp.md 1: "Aliases: `fantome`, `alterigo`, `epago`, `ndengrod`"."""
    assert parse(alias).name == name


def test_keys_and_words_are_read_in_either_case_and_with_blanks() -> None:
    assert parse(" go: SIZE = 9 , Repetition = SSK ").spec == (
        "go:size=9,komi=7.5,repetition=ssk,dead=judged,suicide=false,scoring=area,lang=en"
    )


def test_defaults_hold_unless_the_spec_says_otherwise() -> None:
    """gtp.md 1: "The key `lang` beats `--lang`"."""
    assert parse("go", {"lang": "fr"}).lang == "fr"
    assert parse("go:lang=en", {"lang": "fr"}).lang == "en"


def test_size_sets_width_and_height_of_alter_igo() -> None:
    """rules.md, "Options by name": "`size=N` sets both"."""
    assert parse("alter-igo:size=5") == parse("alter-igo:width=5,height=5")


def test_a_spec_is_split_into_its_game_and_what_it_gives() -> None:
    found, given = split_spec("fantome:size=13")
    assert (found.name, given) == ("phantom", {"size": "13"})


@pytest.mark.parametrize(
    ("komi", "printed"),
    [("7.50", "7.5"), ("7.0", "7"), ("-0", "0"), (".5", "0.5"), ("6.", "6"), ("+1", "1"), ("1e1", "10")],
)
def test_komi_is_printed_as_the_shortest_decimal(komi: str, printed: str) -> None:
    assert f"komi={printed}," in parse(f"go:komi={komi}").spec


@pytest.mark.parametrize(
    ("size", "dice"), [(9, "1d4"), (13, "1d6"), (19, "1d8"), (1, "1d6"), (10, "1d6"), (18, "1d6"), (25, "1d6")]
)
def test_dice_follow_the_first_row_of_the_table_for_a_size(size: int, dice: str) -> None:
    """rules.md, "Options by name": "dice=the first row of the table for that size, else 1d6"."""
    assert f"dice={dice}," in parse(f"aleago:size={size}").spec


@pytest.mark.parametrize(
    ("size", "dice", "star"),
    [
        # Sizes and dice in the rows of the table.
        (9, "1d4", True),
        (13, "1d6", True),
        (19, "1d8", True),
        (19, "1d10", False),
        (19, "2d4", True),
        (19, "2d6", False),
        # Not in the table: the star is on if some line is unreachable, whether below the minimum or above the maximum.
        (9, "1d6", False),
        (9, "1d5", False),
        (9, "1d3", True),
        (13, "2d6", True),
        (13, "1d7", False),
        (5, "1d3", False),
        (6, "1d2", True),
        (1, "1d1", False),
    ],
)
def test_the_star_follows_the_table(size: int, dice: str, star: bool) -> None:
    """rules.md, "Options by name" and [A-12]; 000_b028ddfe0fa096f3.txt, "Dés et goban"."""
    assert f"star={str(star).lower()}," in parse(f"aleago:size={size},dice={dice}").spec


def test_reroll_needs_a_total_that_names_a_line() -> None:
    with pytest.raises(SpecError, match="overflow=reroll"):
        parse("aleago:size=3,dice=5d2,overflow=reroll,star=false")


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (Option("key", "choice", "a", "", choices=("a",)), "a"),
        (Option("key", "choice", "a", "", choices=("a", "b"), none=True), "a, b or none"),
        (Option("key", "int", 1, "", low=1), "1 or more"),
        (Option("key", "int", 1, "", low=1, high=9, none=True), "1 to 9 or none"),
        (Option("key", "bool", True, ""), "true or false"),
        (Option("key", "float", 1.0, ""), "a number"),
        (Option("key", "text", "", ""), "a string"),
    ],
)
def test_an_option_says_what_it_takes(option: Option, expected: str) -> None:
    assert option.describe_values() == expected


@pytest.mark.parametrize(
    ("spec", "dead"),
    [
        *((game, "agreed") for game in ("go", "aleago", "phantom", "rosette")),
        ("phantom:rules=olympiad", "agreed"),
        *((f"{game}:dead={dead}", dead) for game in ("go", "rosette") for dead in ("none", "judged")),
        ("pentalath", None),
    ],
)
def test_people_agree_on_dead_stones_unless_the_spec_says_otherwise(spec: str, dead: str | None) -> None:
    values = parse(spec, AMONG_PEOPLE).values
    assert ("dead" in values and (values["dead"] or "none")) == (dead or False)


@pytest.mark.parametrize(("game", "dead"), [("go", "judged"), ("aleago", None), ("phantom", None), ("rosette", None)])
def test_only_go_has_its_dead_stones_judged_by_default(game: str, dead: str | None) -> None:
    assert parse(game).values["dead"] == dead


def test_a_default_does_not_override_a_set_of_rules() -> None:
    assert parse("phantom:rules=openspiel", {"atari": "all"}).values["atari"] == "none"
