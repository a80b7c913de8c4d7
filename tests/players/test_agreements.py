"""Agreements of people in a hosted game, by value: what is recorded, what a restart keeps, when an offer lapses."""

import pytest

from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import AGREE, Participant, find_agreements, follow_in_match, single_die, tell_match
from gtp_variants.players.hosted_game import HostedGame, HostPolicy, new_record
from gtp_variants.records.journal import read_journal
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, RESIGN, WHITE
from gtp_variants.rules.game import Game

PEOPLE = {BLACK: Participant(), WHITE: Participant()}


def begin(spec: str, seats: dict[int, Participant] = PEOPLE) -> HostedGame:
    return HostedGame.new(new_record(parse(spec), b"\1" * 32), seats, HostPolicy())


def restarted(game: HostedGame) -> HostedGame:
    return HostedGame(read_journal(game.lines), game.policy)


def said(game: HostedGame) -> list[str]:
    """Return the events that are no moves and no draws."""
    events = [(actor, word) for actor, word in write_game(game.table.game) if actor != "chance"]
    return [f"{actor} {word}" for actor, word in events if " " in word or word == "resume"]


def expect_replay(game: HostedGame) -> None:
    """Expect that the record in both forms, and the journal, give the same game."""
    record = game.to_record()
    for again in (from_json(to_json(record)), from_sgf(to_sgf(record)), restarted(game).to_record()):
        assert (again.game.events, again.game.position) == (record.game.events, record.game.position)
        assert again.game.rules.spec == record.game.rules.spec


def first_open(game: HostedGame) -> int:
    return next(iter(game.rules.legal(game.table.position)))


def test_a_single_die_agreed_on_is_thrown_from_the_first_draw_that_nobody_has_seen() -> None:
    game = begin("aleago:size=5,dice=2d3")
    seen = game.table.position.draws
    assert find_agreements(game.table, game.people) == ["set_dice", "match"]
    assert not game.propose(WHITE, AGREE, "set_dice 1d3")
    # A restart keeps the open offer, and one between its acceptance and the draw.
    game = restarted(game)
    assert game.accept(BLACK)
    game = restarted(game)
    assert game.table.position.draws == seen
    assert said(game) == []
    game.play(BLACK, first_open(game))
    assert said(game) == ["w set_dice 1d3"]
    assert single_die(game.table) is None
    expect_replay(game)
    game.play(WHITE, RESIGN)
    verify(game.to_record())


def test_an_offer_lapses_with_the_next_move_and_can_be_declined() -> None:
    game = begin("aleago:size=5,dice=2d3")
    game.propose(BLACK, AGREE, "set_dice 1d3")
    game.play(BLACK, first_open(game))
    with pytest.raises(RequestRefused):
        game.accept(WHITE)
    game.propose(BLACK, AGREE, "set_dice 1d3")
    game.decline(WHITE)
    with pytest.raises(RequestRefused):
        game.accept(WHITE)
    for text in ("set_dice 2d3", "set_dice", "match 2", "resume", "dead C3", "white_passes 2", "bribe 5"):
        with pytest.raises(RequestRefused):
            game.propose(BLACK, AGREE, text)
    assert said(game) == []


def test_a_refused_try_does_not_show_by_an_offer_that_lapses() -> None:
    game = HostedGame.new(new_record(parse("phantom:size=5"), handicap=[12]), PEOPLE, HostPolicy())
    assert find_agreements(game.table, game.people) == ["match"]
    game.propose(BLACK, AGREE, "match 2")
    game.play(WHITE, 12)
    assert game.table.game.is_refused(0)
    assert find_agreements(game.table, game.people) == ["match"]
    assert game.accept(WHITE)
    assert said(game) == ["b match 1/2"]


def test_whites_passes_become_an_option_and_a_bots_move_is_taken_back() -> None:
    game = begin("alter-igo:size=3", {BLACK: Participant("bot", "uniform"), WHITE: Participant()})
    game.play(BLACK, 4)
    assert game.propose(WHITE, AGREE, "white_passes 2")
    assert (game.rules.values["white_passes"], said(game), game.epoch) == (2, ["w white_passes 2"], 1)
    assert len(game.table.game.turns()) == 0
    game.play(BLACK, 4)
    game.play(WHITE, PASS)
    expect_replay(game)
    with pytest.raises(RequestRefused):
        game.propose(WHITE, AGREE, "white_passes 3")


def test_play_is_resumed_by_agreement_once_until_a_stone_or_a_draw() -> None:
    for spec, again in (("go:size=5", False), ("aleago:size=5,dice=1d3", True)):
        game = begin(spec)
        for _ in range(10):
            if not game.table.suspended:
                game.play(game.table.position.mover, PASS)
        assert "resume" in find_agreements(game.table, game.people)
        mover = game.table.position.mover
        game.propose(BLACK, AGREE, "resume")
        assert game.accept(WHITE)
        assert said(game)[-1] == f"{'.bw'[mover]} resume"
        assert not game.table.suspended
        while not game.table.suspended:
            game.play(game.table.position.mover, PASS)
        assert ("resume" in find_agreements(game.table, game.people)) == again
        expect_replay(game)


@pytest.mark.parametrize(
    ("first", "second", "how", "told"),
    [
        # Each resigns as Black: each has won as White.
        ([RESIGN], [RESIGN], "match 2 black_moves", ("match_tied", BLACK)),
        # White, then Black, who was White, resign.
        ([4, RESIGN], [RESIGN], "match 2 black_moves", ("match_won", WHITE)),
        # Both win as Black, the second with fewer stones.
        ([4, 0, 8, RESIGN], [4, RESIGN], "match 2 black_moves", ("match_by_moves", BLACK)),
        ([4, 0, 8, RESIGN], [4, RESIGN], "match 2", ("match_tied", BLACK)),
    ],
)
def test_a_match_of_two_games_has_a_winner(
    first: list[int], second: list[int], how: str, told: tuple[str, int]
) -> None:
    one = begin("alter-igo:size=3")
    one.propose(BLACK, AGREE, how)
    assert one.accept(WHITE)
    assert said(one) == [f"b {how.replace('2', '1/2', 1)}"]
    play(one, first)
    assert tell_match(one.table.game, one.notes) == ("match_second", BLACK)
    terms, notes = follow_in_match(one.table.game)
    two = HostedGame.new(new_record(one.rules), PEOPLE, notes=dict(notes))
    for action in terms:
        two.play(BLACK, action)
    play(two, second)
    assert tell_match(two.table.game, restarted(two).notes) == told
    assert follow_in_match(two.table.game) == ([], {})
    expect_replay(two)


def play(game: HostedGame, moves: list[int]) -> None:
    for action in moves:
        game.play(game.table.position.mover, action)


def test_a_game_in_no_match_says_nothing_of_one() -> None:
    assert tell_match(Game(parse("go:size=5")), {}) == ("", BLACK)
