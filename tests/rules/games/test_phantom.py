"""Go Fantôme: the referee's board and the referee's announcements (rules.md 2; 001_d6d69fd415a28a9d.txt)."""

from typing import Any

import pytest

from gtp_variants.errors import NotationError
from gtp_variants.records.state import describe_position
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, FORFEIT, PASS, RESIGN, RESUME, SETTLE, TURN, WHITE
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import Announcement, News, View
from tests.boards import begin, drawn, picture, played, setup, vertices

GAMES = [
    "phantom:size=5",
    "phantom:size=5,impossible=private",
    "phantom:size=3,repetition=none",
    "phantom:size=4,atari=all",
    "phantom:size=4,rules=olympiad",
    "phantom:size=4,rules=openspiel",
    "phantom:size=4,captures=owner,refused=shown,impossible=private",
]


def spoken(rules: Rules, position: Any) -> list[str]:
    """Return the referee's announcements after the last try."""
    return [item["text"] for item in describe_position(rules, position)["announcements"]]


def tried(rules: Rules, position: Any, vertex: str) -> Any:
    """Return the position after a try that must be refused."""
    after: Any = rules.play(position, rules.board.point(vertex))
    assert (after.mover, after.turn, after.stones) == (position.mover, position.turn, position.stones)
    assert [said.code for said in after.said] == ["impossible"]
    return after


# -- the announcements -------------------------------------------------------------------------------------------------

NOTHING = """
    . . . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""
ONE_CAPTURED = """
    . X . . .
    X O . . .
    . X . . .
    . . . . .
    . . . . .
"""
THREE_CAPTURED = """
    . X . . .
    X O X . .
    X O O . .
    . X X . .
    . . . . .
"""
ONE_IN_ATARI = """
    . . . . .
    X O . . .
    . X . . .
    . . . . .
    . . . . .
"""
# A chain of one stone and a chain of two lose their last liberty but one at the same time.
THREE_IN_ATARI = """
    . X . . .
    . O . O X
    . X X O X
    . . . X .
    . . . . .
"""
SELF_ATARI = """
    . X . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""


def mirror(diagram: str) -> str:
    return diagram.translate(str.maketrans("XO", "OX"))


SENTENCES = [
    (NOTHING, BLACK, "C3", "Black has played", "Noir a joué"),
    (NOTHING, WHITE, "C3", "White has played", "Blanc a joué"),
    (NOTHING, BLACK, "pass", "Black passes", "Noir passe"),
    (NOTHING, WHITE, "pass", "White passes", "Blanc passe"),
    (ONE_CAPTURED, BLACK, "C4x", "Black plays and captures 1 white stone", "Noir joue et capture 1 pierre blanche"),
    (
        THREE_CAPTURED,
        BLACK,
        "D3x",
        "Black plays and captures 3 white stones",
        "Noir joue et capture 3 pierres blanches",
    ),
    (
        ONE_IN_ATARI,
        BLACK,
        "B5",
        "Black plays and puts 1 white stone in atari",
        "Noir joue et met 1 pierre blanche en atari",
    ),
    (
        THREE_IN_ATARI,
        BLACK,
        "C4",
        "Black plays and puts 3 white stones in atari",
        "Noir joue et met 3 pierres blanches en atari",
    ),
    # "(Same with Blanc / noire(s).)"
    (
        mirror(ONE_CAPTURED),
        WHITE,
        "C4x",
        "White plays and captures 1 black stone",
        "Blanc joue et capture 1 pierre noire",
    ),
    (
        mirror(THREE_CAPTURED),
        WHITE,
        "D3x",
        "White plays and captures 3 black stones",
        "Blanc joue et capture 3 pierres noires",
    ),
    (
        mirror(ONE_IN_ATARI),
        WHITE,
        "B5",
        "White plays and puts 1 black stone in atari",
        "Blanc joue et met 1 pierre noire en atari",
    ),
    (
        mirror(THREE_IN_ATARI),
        WHITE,
        "C4",
        "White plays and puts 3 black stones in atari",
        "Blanc joue et met 3 pierres noires en atari",
    ),
    (SELF_ATARI, WHITE, "A5", "White plays and puts itself in atari", "Blanc joue et se met en atari"),
]


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize(("diagram", "mover", "move", "english", "french"), SENTENCES)
def test_the_referees_sentences(diagram: str, mover: int, move: str, english: str, french: str, lang: str) -> None:
    """rules.md 2.1.3, [F-2]; 001_d6d69fd415a28a9d.txt, "Annonces possibles de l'arbitre"."""
    rules = parse(f"phantom:size=5,lang={lang}")
    position = played(rules, begin(rules, diagram, mover), move)
    assert spoken(rules, position) == [english if lang == "en" else french]


# Black C1 captures C2, leaves A1 and B1 with one liberty, and has C2 as its own only liberty.
ALL_THREE = """
    . . . . .
    . . . . .
    . . X . O
    . X O X O
    O O . O O
"""
CAPTURE_AND_SELF = """
    . . . . .
    . . . . .
    O . X . O
    O X O X O
    O O . O O
"""
CAPTURE_AND_ATARI = """
    . . . . .
    . . . . .
    . . X . .
    . X O X .
    O O . . .
"""
ATARI_AND_SELF = """
    . . . . .
    . . . . .
    . . . . .
    . X O X .
    O O . . O
"""


@pytest.mark.parametrize(
    ("diagram", "move", "english", "french"),
    [
        pytest.param(
            ALL_THREE,
            "C1x",
            ["captures 1 white stone", "puts 2 white stones in atari", "puts itself in atari"],
            ["capture 1 pierre blanche", "met 2 pierres blanches en atari", "se met en atari"],
            id="all three",
        ),
        pytest.param(
            CAPTURE_AND_SELF,
            "C1x",
            ["captures 1 white stone", "puts itself in atari"],
            ["capture 1 pierre blanche", "se met en atari"],
            id="capture and own atari",
        ),
        pytest.param(
            CAPTURE_AND_ATARI,
            "C1x",
            ["captures 1 white stone", "puts 2 white stones in atari"],
            ["capture 1 pierre blanche", "met 2 pierres blanches en atari"],
            id="capture and enemy atari",
        ),
        pytest.param(
            ATARI_AND_SELF,
            "C1",
            ["puts 3 white stones in atari", "puts itself in atari"],
            ["met 3 pierres blanches en atari", "se met en atari"],
            id="enemy atari and own atari",
        ),
    ],
)
def test_f2_several_announcements(diagram: str, move: str, english: list[str], french: list[str]) -> None:
    """[F-2] and rules.md 2.1.3: "in the order capture, enemy atari, own atari"."""
    for lang, start, parts, joint in (
        ("en", "Black plays and ", english, " and "),
        ("fr", "Noir joue et ", french, " et "),
    ):
        rules = parse(f"phantom:size=5,lang={lang}")
        position = played(rules, begin(rules, diagram), move)
        assert spoken(rules, position) == [start + part for part in parts]
        rules = parse(f"phantom:size=5,announce=joined,lang={lang}")
        position = played(rules, begin(rules, diagram), move)
        assert set(spoken(rules, position)) == {start + joint.join(parts)}


def test_f2_the_joined_sentence_word_for_word() -> None:
    """[F-2], `announce=joined`."""
    rules = parse("phantom:size=5,announce=joined,lang=fr")
    assert spoken(rules, played(rules, begin(rules, ALL_THREE), "C1x"))[0] == (
        "Noir joue et capture 1 pierre blanche et met 2 pierres blanches en atari et se met en atari"
    )


@pytest.mark.parametrize("announce", ["list", "joined"])
def test_a_single_announcement_is_the_same_listed_or_joined(announce: str) -> None:
    rules = parse(f"phantom:size=5,announce={announce}")
    assert spoken(rules, played(rules, rules.start(), "C3")) == ["Black has played"]
    assert spoken(rules, played(rules, rules.start(), "pass")) == ["Black passes"]


def test_announcements_for_a_host() -> None:
    """gtp.md 4, `announcements`: "`code`, `colour`: the actor, `count`, `points`: the captured points"."""
    rules = parse("phantom:size=5")
    assert describe_position(rules, rules.start()) == {"announcements": []}
    position = played(rules, begin(rules, ALL_THREE), "C1x")
    described = describe_position(rules, position)["announcements"]
    assert [(item["code"], item["colour"], item["count"]) for item in described] == [
        ("captured", "b", 1),
        ("atari", "b", 2),
        ("self_atari", "b", 0),
    ]
    assert [len(item["points"]) for item in described] == [1, 0, 0]


# -- atari -------------------------------------------------------------------------------------------------------------

# A5 is already in atari; C3 has nothing to do with it.
OLD_ATARI = """
    O X . . .
    . . . . .
    . . . . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize(
    ("atari", "move", "codes"),
    [
        ("new", "C3", [("played", 0)]),
        ("all", "C3", [("atari", 1)]),
        ("new", "pass", [("passed", 0)]),
        ("all", "pass", [("passed", 0)]),
    ],
)
def test_f3_stones_that_were_in_atari_before(atari: str, move: str, codes: list[tuple[str, int]]) -> None:
    """[F-3]: "Default newly"; `atari=all`: "all enemy stones in atari on the board"."""
    rules = parse(f"phantom:size=5,atari={atari}")
    position = played(rules, begin(rules, OLD_ATARI), move)
    assert [(said.code, said.count) for said in position.said] == codes


@pytest.mark.parametrize(("atari", "count"), [("new", 2), ("all", 3)])
def test_f3_old_and_new_ataris(atari: str, count: int) -> None:
    """[F-3]: the two stones A1 and B1 are newly in atari, the stone A5 is not."""
    rules = parse(f"phantom:size=5,atari={atari}")
    diagram = """
        O X . . .
        . . . . .
        . . . . .
        . X . . .
        O O . . .
    """
    position = played(rules, begin(rules, diagram), "C1")
    assert [(said.code, said.count) for said in position.said] == [("atari", count)]


@pytest.mark.parametrize("atari", ["new", "all"])
def test_f3_own_stones_in_atari_are_not_counted(atari: str) -> None:
    """[F-3]: "enemy stones"."""
    rules = parse(f"phantom:size=5,atari={atari}")
    position = played(rules, begin(rules, mirror(OLD_ATARI)), "C3")
    assert [said.code for said in position.said] == ["played"]


@pytest.mark.parametrize(
    ("diagram", "move", "always", "new_only"),
    [
        pytest.param(
            """
            X O . . .
            . O . . .
            . . . . .
            . . . . .
            . . . . .
            """,
            "A4",
            "self_atari",
            "played",
            id="a chain that was in atari and still is",
        ),
        pytest.param(
            """
            X O . . .
            . O . . .
            X O . . .
            . . . . .
            . . . . .
            """,
            "A4",
            "self_atari",
            "self_atari",
            id="joined to one that was not",
        ),
        pytest.param(
            """
            X O . . .
            . . . . .
            X O . . .
            O . . . .
            . . . . .
            """,
            "A4",
            "self_atari",
            "played",
            id="two chains that were both",
        ),
        pytest.param(
            """
            . O . . .
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            """,
            "A5",
            "self_atari",
            "self_atari",
            id="a stone by itself",
        ),
        pytest.param(
            """
            X O . . .
            . . . . .
            . . . . .
            . . . . .
            . . . . .
            """,
            "A4",
            "played",
            "played",
            id="out of atari",
        ),
    ],
)
def test_f4_own_atari_again(diagram: str, move: str, always: str, new_only: str) -> None:
    """[F-4]: `self_atari=always` and `new_only`."""
    for option, code in (("always", always), ("new_only", new_only)):
        rules = parse(f"phantom:size=5,self_atari={option}")
        position = played(rules, begin(rules, diagram), move)
        assert [said.code for said in position.said] == [code]


# -- impossible moves --------------------------------------------------------------------------------------------------

BLOCKED = """
    . X . . .
    X . X . .
    . X . . .
    . . . X O
    . . X O .
"""


@pytest.mark.parametrize(
    ("vertex", "why"),
    [("B5", "an enemy stone"), ("D1", "an own stone"), ("A5", "suicide"), ("B4", "suicide in an enemy's eye")],
)
def test_a_refused_try_changes_nothing_and_keeps_the_turn(vertex: str, why: str) -> None:
    """rules.md 2.1.2; "coup impossible (dans le cas où ... une pierre se trouve déjà à cet emplacement ...)"."""
    rules = parse("phantom:size=5,lang=fr")
    position = begin(rules, BLOCKED, WHITE)
    after = tried(rules, position, vertex)
    assert spoken(rules, after) == ["coup impossible"]
    assert (after.passes, after.last, after.captured, after.history) == (0, None, (), position.history)
    # "same player proposes again, any number of times", also the same point ([F-6]).
    again = tried(rules, tried(rules, after, vertex), "B5")
    assert again.mover == WHITE
    assert again.tried == {rules.board.point(vertex), rules.board.point("B5")}
    accepted = played(rules, again, "E5")
    assert (accepted.mover, accepted.tried) == (BLACK, frozenset())


def test_the_sentence_of_a_refused_try() -> None:
    """[F-2]: "English sentences: ... `impossible move`"."""
    rules = parse("phantom:size=5")
    assert spoken(rules, tried(rules, begin(rules, BLOCKED, WHITE), "B5")) == ["impossible move"]


KO = """
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize(
    ("repetition", "refused"), [("ssk", True), ("simple", True), ("psk", True), ("nssk", False), ("none", False)]
)
def test_f1_a_ko_is_impossible_too(repetition: str, refused: bool) -> None:
    """[F-1]: default (a) "ko/superko also `coup impossible`"; nssk counts only boards made by placing."""
    rules = parse(f"phantom:size=5,repetition={repetition}")
    position = played(rules, begin(rules, KO), "C4x")
    if refused:
        tried(rules, position, "B4")
    else:
        assert played(rules, position, "B4x").mover == BLACK


def test_f6_a_point_refused_once_may_become_legal() -> None:
    """[F-6]: "retry of a point already refused: allowed (may have become legal)"."""
    rules = parse("phantom:size=5")
    position = tried(rules, played(rules, begin(rules, KO), "C4x"), "B4")
    played(rules, position, "E1 A1 B4x")


def test_f8_a_refused_try_is_no_pass_and_no_end_of_passes() -> None:
    """[F-8]: "A refused try changes nothing, also not the number of passes in a row, and is no occurrence"."""
    rules = parse("phantom:size=5")
    position = played(rules, begin(rules, BLOCKED, BLACK), "pass")
    refused = tried(rules, position, "B5")
    assert refused.passes == 1
    suspended = played(rules, refused, "pass")
    assert rules.is_suspended(suspended)
    # Nor does it reopen the suspended game.
    still = tried(rules, suspended, "E2")
    assert (rules.is_suspended(still), still.passes) == (True, 2)
    assert rules.is_final(played(rules, still, "pass"))


def test_every_point_without_an_own_stone_may_be_tried() -> None:
    """rules.md 2.1.5: a player does not know where the other's stones are; `legal` is the referee's knowledge."""
    rules = parse("phantom:size=5")
    position = begin(rules, BLOCKED, WHITE)
    points = [point for point in range(25) if position.stones[point] != WHITE]
    assert list(rules.actions(position)) == [*points, PASS]
    refused = {rules.board.point("A5"), rules.board.point("B4")}
    assert set(rules.legal(position)) == {p for p in points if not position.stones[p]} - refused | {PASS}


def test_two_passes_end_the_game_and_the_referees_board_is_counted() -> None:
    """rules.md 2.1.4; "Lorsque les deux joueurs passent, on se base sur le goban de référence"."""
    rules = parse("phantom:size=5")
    position = played(rules, rules.start(), "C3 pass pass")
    assert rules.is_suspended(position)
    assert rules.outcome(position) == Outcome(BLACK, "score", 17.5)
    assert rules.outcome(played(rules, position, "pass")) == Outcome(BLACK, "score", 17.5)


def test_black_begins_on_9_by_9() -> None:
    """rules.md 2.1.1; "3 gobans (dimensions 9x9)", "Noir commence"."""
    rules = parse("phantom")
    assert (rules.board.width, rules.board.height, rules.start().mover) == (9, 9, BLACK)


# -- what a seat is told -----------------------------------------------------------------------------------------------


def heard(game: Game, colour: int) -> News:
    """Return the last news that a seat heard."""
    return game.heard(colour)[-1]


def test_an_accepted_stone_is_told_with_its_point_to_its_player_only() -> None:
    """rules.md 2.1.5: "Never: enemy stones"."""
    game = Game(parse("phantom:size=5"))
    point = game.rules.board.point("C3")
    game.play(BLACK, point)
    said = (Announcement("played", BLACK),)
    assert heard(game, BLACK) == News(BLACK, point, said=said)
    assert heard(game, WHITE) == News(BLACK, None, said=said)


def test_captured_points_are_shown_to_both() -> None:
    """rules.md 2.1.3: "the points are shown to both"; "(montrer aux joueurs lesquelles)"."""
    rules = parse("phantom:size=5")
    game = Game(rules, setup(rules.board, ALL_THREE))
    game.play(BLACK, rules.board.point("C1"))
    captured = (rules.board.point("C2"),)
    said = (
        Announcement("captured", BLACK, 1, captured),
        Announcement("atari", BLACK, 2),
        Announcement("self_atari", BLACK),
    )
    assert heard(game, WHITE) == News(BLACK, None, captured=captured, said=said)
    assert heard(game, BLACK) == News(BLACK, rules.board.point("C1"), captured=captured, said=said)
    # Nobody is told which stones are in atari: "(ne pas dire lesquelles)".
    assert all(not item.points for item in said if item.code != "captured")


def test_f5_both_hear_of_a_refused_try_but_not_where() -> None:
    """[F-5]: "à voix haute" -> both, point not told."""
    game = Game(parse("phantom:size=5"))
    point = game.rules.board.point("C3")
    game.play(BLACK, point)
    game.play(WHITE, point)
    said = (Announcement("impossible", WHITE),)
    assert heard(game, WHITE) == News(WHITE, point, refused=True, said=said)
    assert heard(game, BLACK) == News(WHITE, None, refused=True, said=said)


def test_f5_a_refused_try_in_private() -> None:
    """[F-5]: option `impossible=private`."""
    game = Game(parse("phantom:size=5,impossible=private"))
    point = game.rules.board.point("C3")
    game.play(BLACK, point)
    game.play(WHITE, point)
    assert len(game.heard(WHITE)) == 2
    assert len(game.heard(BLACK)) == 1
    assert heard(game, WHITE) == News(WHITE, point, refused=True, said=(Announcement("impossible", WHITE),))


def test_f5_a_private_try_may_have_parted_passes_and_nobody_else_takes_the_game_for_over() -> None:
    """[F-5] with `in_a_row=tries`: the referee counts every refused try, each seat only the tries it hears of."""
    rules = parse("phantom:size=5,impossible=private,in_a_row=tries")
    ours, theirs = rules.board.point("C3"), rules.board.point("D4")
    game = Game(rules)
    stones, more = [(BLACK, ours), (WHITE, theirs), (BLACK, PASS)], [(WHITE, ours), (WHITE, PASS), (BLACK, theirs)]
    for actor, action in [*stones, *more, (BLACK, PASS)]:
        game.play(actor, action)

    def passes() -> list[int]:
        views = (rules.view(game.heard(colour), colour) for colour in (BLACK, WHITE))
        return [game.position.passes, *(view.passes for view in views)]

    # From their own tries, White knows that Black's first pass no longer counts, and Black that White's does not.
    assert passes() == [1, 1, 2]
    game.play(WHITE, PASS)
    assert passes() == [2, 2, 2]
    view = rules.view(game.heard(BLACK), BLACK)
    assert (view.to_play, view.final, PASS in view.actions) == (BLACK, False, True)
    game.play(BLACK, PASS)
    assert rules.is_final(game.position)
    assert rules.view(game.heard(WHITE), WHITE).final


@pytest.mark.parametrize("action", [RESIGN, FORFEIT])
def test_passes_and_departures_are_told_to_both(action: int) -> None:
    game = Game(parse("phantom:size=5"))
    game.play(BLACK, PASS)
    for colour in (BLACK, WHITE):
        assert heard(game, colour) == News(BLACK, PASS, said=(Announcement("passed", BLACK),))
    game.play(BLACK, action)
    for colour in (BLACK, WHITE):
        assert heard(game, colour) == News(BLACK, action)


def test_news_never_hold_a_position() -> None:
    """design.md: "A player gets `News` and `View`, never an `Event` or a `Position`"."""
    for spec in GAMES:
        rules = parse(spec)
        game = random_game(rules, seed=3, plies=60)
        for colour in (BLACK, WHITE):
            for news in game.heard(colour):
                assert news.after is None
                assert not isinstance(news.action, Position)
                if news.actor not in (colour, CHANCE) and (news.action or 0) >= 0:
                    assert news.action is None
            assert rules.view(game.heard(colour), colour).position is None


# -- what a seat knows -------------------------------------------------------------------------------------------------


def agrees(rules: Rules, position: Any, view: View) -> None:
    """Fail unless the view shows exactly what its seat may know of the position."""
    colour = view.colour
    shown = {point for point in position.seen if position.stones[point] != colour}
    seen = bytes(there if there == colour or p in shown else 0 for p, there in enumerate(position.stones))
    assert view.stones == seen
    # "Deducible: number of enemy stones on the board".
    assert view.hidden == position.stones.count(3 - colour) - len(shown)
    assert (view.to_play, view.turn, view.passes) == (position.to_play, position.turn, position.passes)
    assert view.ends == rules.next_pass_ends(position)
    expected = tuple(rules.actions(position)) if position.to_play == colour else ()
    assert view.actions == expected
    assert view.tried == (position.tried if position.to_play == colour else frozenset())


def both_agree(game: Game) -> None:
    for colour in (BLACK, WHITE):
        agrees(game.rules, game.position, game.rules.view(game.heard(colour), colour))


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_view_is_what_the_seat_may_know_and_no_more(spec: str, seed: int) -> None:
    """rules.md 2.1.5: "What a player is told"."""
    rules = parse(spec)
    replayed = Game(rules)
    for event in random_game(rules, seed, plies=80).events:
        replayed.play(event.actor, event.action)
        both_agree(replayed)


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
@pytest.mark.parametrize("diagram", [NOTHING, ALL_THREE])
def test_a_view_of_a_setup_and_of_what_follows(diagram: str, to_play: int) -> None:
    rules = parse("phantom:size=5")
    game = Game(rules, setup(rules.board, diagram), to_play)
    both_agree(game)
    for vertex in ("C1", "E1", "C3", "C2", "A2", "D5"):
        game.play(game.position.mover, rules.board.point(vertex))
        both_agree(game)


# A turn may also be given to the side that is to play anyway: the points refused to it in this turn stay refused.
PASSED_OVER = [(BLACK, 4), (WHITE, 4), (BLACK, TURN), (BLACK, 0), (WHITE, 1), (WHITE, TURN), (WHITE, 0), (WHITE, TURN)]
ENDED = [(BLACK, 4), (WHITE, PASS), (BLACK, PASS), (WHITE, TURN), (WHITE, TURN), (BLACK, TURN)]
ENDS = [[(BLACK, PASS)], [(BLACK, RESUME), (BLACK, 0)], [(BLACK, SETTLE)], [(WHITE, RESIGN)]]


@pytest.mark.parametrize("events", [PASSED_OVER, *(ENDED + end for end in ENDS)])
def test_a_view_when_a_side_is_passed_over_and_at_the_end(events: list[tuple[int, int]]) -> None:
    game = Game(parse("phantom:size=3"))
    for actor, action in events:
        game.play(actor, action)
        both_agree(game)


def test_two_games_that_sound_alike_look_alike() -> None:
    """rules.md 2.1.5: nothing untold can be seen. White's stone is on A1 or on E5, and Black knows of neither."""
    views = []
    for hidden in ("A1", "E5"):
        game = Game(parse("phantom:size=5"))
        for actor, vertex in ((BLACK, "C3"), (WHITE, hidden), (BLACK, "C4")):
            game.play(actor, game.rules.board.point(vertex))
        views.append(game.rules.view(game.heard(BLACK), BLACK))
    assert views[0] == views[1]
    assert views[0].hidden == 1


def test_a_seat_that_has_heard_nothing() -> None:
    rules = parse("phantom:size=3")
    view = rules.view([], WHITE)
    assert (view.to_play, view.turn, view.actions, view.hidden) == (BLACK, 1, (), 0)
    assert rules.view([], BLACK).actions == (*range(9), PASS)


def test_after_the_end_the_boards_are_shown() -> None:
    """[F-7]: "no dead removal (`dead=` by agreement after the boards are shown)"."""
    rules = parse("phantom:size=3")
    with pytest.raises(NotationError):
        rules.play(played(rules, rules.start(), "B2 pass pass"), -6)
    rules = parse("phantom:size=3,dead=agreed,komi=0")
    position = played(rules, rules.start(), "B2 A1 pass pass")
    assert rules.outcome(position) == Outcome(None, "score")
    marked = rules.play(position, -6)
    assert rules.outcome(marked) == Outcome(BLACK, "score", 9)
    assert picture(rules.board, marked.stones) == drawn(
        """
        . . .
        . X .
        O . .
        """
    )
    assert vertices(rules.board, marked.dead) == "A1"
