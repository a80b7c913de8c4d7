"""Named sets of options, and the announcements and endings that Go Fantôme's sets need."""

import pickle
from typing import Any

import pytest

from gtp_variants.errors import IllegalMove, SpecError
from gtp_variants.records.state import describe_position
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.actions import BLACK, EMPTY, PASS, WHITE, Event
from gtp_variants.rules.game import Game
from gtp_variants.rules.options import text_of
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rule_sets import RULE_SETS
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.views import Announcement, News
from tests.boards import begin

SETS = [(name, each) for name in GAMES for each in game_class(name).options.rule_sets]


# -- in a SPEC ---------------------------------------------------------------------------------------------------------


def test_the_games_of_the_family_have_the_sets_of_go_that_their_options_allow() -> None:
    of_go = set(RULE_SETS)
    sets = {name: {which for game, which in SETS if game == name} for name in GAMES}
    assert sets == {
        "go": of_go,
        "aleago": of_go,
        "phantom": {"olympiad", "openspiel", *of_go} - {"new-zealand", "tromp-taylor"},
        "rosette": of_go,
        "alter-igo": set(),
        "pentalath": set(),
    }


@pytest.mark.parametrize("options", ["suicide=true", "suicide=false", "rules=new-zealand", "rules=Tromp-Taylor"])
def test_suicide_is_refused_with_a_reason_where_the_source_calls_it_impossible(options: str) -> None:
    with pytest.raises(SpecError, match=r"^suicide: phantom has no suicide: a stone without a liberty that") as caught:
        parse(f"phantom:{options}")
    assert caught.value.reason("fr").startswith(
        "suicide\u00a0: phantom n'a pas de suicide\u00a0: une pierre sans liberté"
    )
    with pytest.raises(SpecError, match="rules=nz: expected olympiad, openspiel, japanese"):
        parse("phantom:rules=nz")


@pytest.mark.parametrize(("name", "which"), SETS)
def test_a_set_is_its_options_and_no_more(name: str, which: str) -> None:
    given, rules = game_class(name).options.rule_sets[which], parse(f"{name}:rules={which}")
    assert rules == parse(f"{name}:" + ",".join(f"{key}={value}" for key, value in given.items()))
    usual = parse(name)
    for key, value in rules.values.items():
        assert text_of(value) == given.get(key, text_of(usual.values[key]))
        assert key not in given or value != usual.values[key] or which in RULE_SETS
    for text in (rules.spec, rules.short_spec):
        assert parse(text) == rules
        assert "rules=" not in text
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_options_override_their_rule_set_in_any_order() -> None:
    first, second = parse("phantom:atari=all,rules=olympiad"), parse("phantom:RULES=Olympiad,atari=all")
    assert first == second
    assert (first.values["atari"], first.values["captures"]) == ("all", "owner")


def test_a_name_that_is_not_known_lists_those_that_are() -> None:
    with pytest.raises(SpecError, match=r"^rules=club: expected olympiad, openspiel, japanese, .* or french$"):
        parse("phantom:rules=club")
    with pytest.raises(SpecError, match=r"^rules=olympiad: expected japanese, .* or tromp-taylor$"):
        parse("go:rules=olympiad")
    with pytest.raises(SpecError, match="unknown key 'rules' for pentalath"):
        parse("pentalath:rules=aga")


def test_later_options_stand_in_a_spec_only_where_they_are_set() -> None:
    """A SPEC written before these options existed stays the same word for word."""
    assert parse("phantom").spec == (
        "phantom:size=9,komi=7.5,repetition=ssk,announce=list,atari=new,self_atari=always,impossible=public,"
        "dead=none,lang=en"
    )
    assert parse("phantom:length=4,captures=both").spec.endswith("impossible=public,length=4,dead=none,lang=en")


# -- captures=owner ----------------------------------------------------------------------------------------------------

# Black A1 captures A2 and B1 at the same time.
TWO_TO_TAKE = """
    . . . .
    X . . .
    O X . .
    . O X .
"""


def heard(spec: str, diagram: str, to_play: int, move: str) -> tuple[Any, News, News]:
    """Return the rules, and the news of a move for Black and White."""
    rules = parse(spec)
    before, point = begin(rules, diagram, to_play), parse(spec).board.point(move)
    after = rules.play(before, point)
    black, white = (rules.hears(before, Event(to_play, point), after, colour) for colour in (BLACK, WHITE))
    assert black is not None
    assert white is not None
    return rules, black, white


def game_of(spec: str, moves: str) -> Game:
    """Return the game with these moves, each played by the side to move."""
    game = Game(parse(spec))
    for move in moves.split():
        game.play(game.position.mover, PASS if move == "pass" else game.rules.board.point(move))
    return game


def test_both_are_shown_what_was_captured() -> None:
    rules, own, others = heard("phantom:size=4", TWO_TO_TAKE, BLACK, "A1")
    assert rules.board.vertices_of(own.captured) == rules.board.vertices_of(others.captured) == ["A2", "B1"]


def test_only_the_owner_is_shown_what_was_captured() -> None:
    """Cazenave 2006: "the referee announces the number of stones being captured and tells the other player which"."""
    rules, own, others = heard("phantom:size=4,captures=owner", TWO_TO_TAKE, BLACK, "A1")
    assert (own.captured, own.said, own.count) == ((), (Announcement("captured", BLACK, 2),), 2)
    assert rules.board.vertices_of(others.captured) == ["A2", "B1"]
    assert others.said == (Announcement("captured", BLACK, 2, others.captured),)
    assert rules.sentences(own.said) == rules.sentences(others.said) == ["Black plays and captures 2 white stones"]


def test_a_seat_counts_what_it_took_unseen() -> None:
    game = game_of("phantom:size=3,captures=owner", "A2 A1 B1")
    for colour, hidden in ((BLACK, 0), (WHITE, 2)):
        view = game.rules.view(game.heard(colour), colour)
        assert (view.hidden, view.stones.count(WHITE)) == (hidden, 0)


# -- refused=shown -----------------------------------------------------------------------------------------------------


def test_a_refused_try_shows_a_stone_to_its_player_alone() -> None:
    game = game_of("phantom:size=3,refused=shown", "B2 B2")
    assert game.heard(WHITE)[-1] == News(WHITE, 4, True, said=(Announcement("impossible", WHITE),), shown=BLACK)
    assert game.heard(BLACK)[-1] == News(WHITE, None, True, said=(Announcement("impossible", WHITE),))
    view = game.rules.view(game.heard(WHITE), WHITE)
    assert (view.stones[4], view.hidden) == (BLACK, 0)
    # The point is no longer offered, and a second try finds no second stone.
    assert 4 not in view.actions
    assert tuple(game.rules.actions(game.position)) == view.actions
    game.play(WHITE, 4)
    assert game.rules.view(game.heard(WHITE), WHITE).hidden == 0


def test_a_stone_that_was_shown_is_seen_until_it_is_taken() -> None:
    game = game_of("phantom:size=3,rules=openspiel", "A1 A1 B1 C3 A2")
    news = game.heard(WHITE)
    assert (news[-1].captured, news[-1].count) == ((0,), 1)
    for colour, hidden in ((BLACK, 2), (WHITE, 1)):
        view = game.rules.view(game.heard(colour), colour)
        assert (view.stones[0], view.hidden) == (EMPTY, hidden)


def test_a_refused_try_shows_that_nothing_stands_there() -> None:
    """The try is suicide: the point is empty and may be tried again."""
    _, _, own = heard(
        "phantom:size=3,refused=shown",
        """
        . . .
        X . .
        . X .
    """,
        WHITE,
        "A1",
    )
    assert (own.refused, own.shown) == (True, EMPTY)
    game = game_of("phantom:size=3,refused=shown", "A2 C3 B1 A1")
    assert 0 in game.rules.view(game.heard(WHITE), WHITE).actions


# -- atari=none, self_atari=none ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ("atari=new", ["atari", "self_atari"]),
        ("atari=none", ["self_atari"]),
        ("self_atari=none", ["atari"]),
        ("atari=none,self_atari=none", ["played"]),
        ("rules=olympiad", ["played"]),
    ],
)
def test_ataris_that_are_not_said(options: str, codes: list[str]) -> None:
    """White's stone on B1 puts both A1 and itself in atari."""
    _, black, white = heard(
        f"phantom:size=4,{options}",
        """
        . . . .
        . . . .
        . X . .
        X . . .
    """,
        WHITE,
        "B1",
    )
    assert [item.code for item in black.said] == [item.code for item in white.said] == codes


# -- repetition=draw ---------------------------------------------------------------------------------------------------

# A2 captures three stones, and then B2 repeats the board after the second move.
CYCLE = "B2 A2 B1 pass A1 A2 B2"


def test_any_board_that_comes_again_is_a_draw() -> None:
    game = game_of("phantom:size=2,repetition=draw", CYCLE)
    assert game.position.stones == game.positions[2].stones
    assert game.outcome == Outcome(None, "repetition")
    assert game.rules.is_final(game.position)
    with pytest.raises(IllegalMove, match="game over"):
        game.play(WHITE, PASS)
    assert game_of("phantom:size=2,repetition=simple", CYCLE).outcome is None


def test_both_hear_that_a_board_came_again() -> None:
    game = game_of("phantom:size=2,repetition=draw,announce=joined", CYCLE)
    for colour in (BLACK, WHITE):
        news = game.heard(colour)
        view = game.rules.view(news, colour)
        assert [item.code for item in news[-1].said][-1] == "repeated"
        assert view.final
        assert view.actions == ()
    rules = game.rules
    assert isinstance(rules, HiddenRules)
    said = rules.announcements(game.position)
    assert rules.sentences(said)[-1] == "the board has come again: the game is a draw"
    described = describe_position(rules, game.position)["announcements"]
    assert [(item["code"], item["text"]) for item in described][-1] == ("repeated", rules.sentences(said)[-1])
    assert not game.rules.view(game.heard(BLACK)[:-1], BLACK).final


def test_a_pass_brings_no_board_again() -> None:
    game = game_of("phantom:size=2,repetition=draw", "B2 pass A1 pass pass")
    assert game.outcome == Outcome(WHITE, "score", 3.5)


def test_a_ko_is_refused_as_with_simple() -> None:
    game = game_of("phantom:size=4,repetition=draw", "B4 C4 A3 D3 B2 C2 C3 B3 C3")
    assert game.is_refused(8)
    assert game.outcome is None


# -- in_a_row, length --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("in_a_row", "passes"), [("turns", 2), ("tries", 1)])
def test_a_refused_try_between_two_passes(in_a_row: str, passes: int) -> None:
    game = game_of(f"phantom:size=3,in_a_row={in_a_row}", "B2 A1 pass B2 pass")
    rules = game.rules
    assert game.position.passes == passes
    assert rules.is_over(game.position) == (passes == 2)
    for colour in (BLACK, WHITE):
        assert rules.view(game.heard(colour), colour).passes == passes


def test_a_refused_try_does_not_open_an_end_again() -> None:
    game = game_of("phantom:size=3,in_a_row=tries", "B2 pass pass B2")
    assert game.rules.is_suspended(game.position)
    assert game.rules.view(game.heard(WHITE), WHITE).passes == 2


def test_a_game_at_the_length_limit_ends_and_is_scored() -> None:
    game = game_of("phantom:size=2,length=1,komi=0.5", "A1 A1 B2")
    assert not game.rules.is_over(game.position)
    game.play(BLACK, PASS)
    assert game.outcome == Outcome(WHITE, "score", 0.5)
    assert game.rules.is_final(game.position)
    assert game.rules.actions(game.position) == ()
    assert game.rules.view(game.heard(WHITE), WHITE).actions == ()
    with pytest.raises(IllegalMove, match="game over"):
        game.play(WHITE, 1)
