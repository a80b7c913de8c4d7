"""What is agreed on in chat: terms before the first move, the second game of a match, and what an engine says to it."""

from pathlib import Path

import pytest

from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.players.agreements import tell_match
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import Record
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, MATCH, RESIGN, WHITE, pack
from gtp_variants.rules.game import Game
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, Person, Running, at_match, config_of, engine_key, running
from tests.support.waiting import until

TWO_DICE = "aleago:size=5,dice=2d2"


async def ended(bridge: Running, count: int = 1) -> Record:
    """Return the newest record, once so many games are over."""
    await until(lambda: not bridge.session.games and len(bridge.records()) == count, "the end")
    return load_record(bridge.records()[-1])


async def test_white_may_pass_as_often_as_was_agreed_on(tmp_path: Path) -> None:
    async with at_match(tmp_path, game="alter-igo:size=5") as (_, bridge, person, match):
        person.type("say !options")
        await person.hears("you can type for example !passes 6.*you can type !match")
        person.type("say !passes 0")
        await person.hears("We cannot agree on that now")
        person.type("say !passes 2")
        await person.hears("Agreed: the number of times that White may pass is 2")
        person.type("say !passes 3")
        await person.hears("We cannot agree on that now", 1)
        await person.play("C3")
        await until(lambda: len(match.moves) == 2, "the bot's move")
        person.type("say !rencontre")
        await person.hears("Nous ne pouvons pas convenir")
        person.type("resign")
        record = await ended(bridge)
    assert record.game.rules.values["white_passes"] == 2
    assert write_game(record.game)[:2] == [("b", "white_passes 2"), ("b", "C3")]


async def test_two_games_are_a_match_whose_tie_fewer_stones_break(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server, running(config_of("nngs", server.port, tmp_path)) as bridge:
        person = await Person(server, "alpha").come()
        await person.begin("b")
        person.type("say !match moves")
        await person.hears("Agreed: this is the first game of 2 with swapped colours")
        person.type("resign")
        await person.hears("This was the first of two games")
        await ended(bridge)
        # The same colours again are not the second game.
        await person.begin("b")
        await until(lambda: bridge.session.games, "the game")
        person.type("resign")
        await ended(bridge, 2)
        await person.begin("w")
        await person.hears("This is the second game of our match")
        person.type("resign")
        await person.hears("Black of this game wins the match of two games")
        await ended(bridge, 3)
        await person.go()
    terms = [event for path in bridge.records() for event in write_game(load_record(path).game) if "match" in event[1]]
    assert sorted(terms) == [("b", "match 1/2 black_moves"), ("w", "match 2/2 black_moves")]


def test_a_match_is_kept_for_the_same_two_players_with_swapped_colours(tmp_path: Path) -> None:
    store, game = StateStore(tmp_path), Game(parse("go:size=5"))
    game.play(BLACK, pack(MATCH, 2))
    game.play(WHITE, RESIGN)
    stored = StoredGame("nngs-1", "go:size=5", "first", terms=((BLACK, pack(MATCH, 2)),))
    store.note_match({BLACK: "anna", WHITE: "botty"}, stored, game)
    assert list(store) == []
    new = StoredGame("nngs-2", "go:size=5", "second")
    assert store.begin({BLACK: "anna", WHITE: "botty"}, 5, new) == new
    assert store.begin({BLACK: "botty", WHITE: "anna"}, 9, new) == new
    following = store.begin({BLACK: "Botty", WHITE: "Anna"}, 5, new)
    assert (following.after, following.terms) == ("first", ((WHITE, pack(MATCH, 3)),))
    assert store.begin({BLACK: "botty", WHITE: "anna"}, 5, new) == new
    (tmp_path / "botty_vs_anna.match").write_text("[1]")
    assert store.begin({BLACK: "botty", WHITE: "anna"}, 5, new) == new
    assert tell_match(game, {})[0] == "match_second"


@pytest.mark.parametrize(
    ("own", "said", "is_agreed"),
    [
        (("variant-accept=true",), "Agreed: from the next throw that nobody has seen, we throw only 1d2", True),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (("variant-accept=false",), "My engine does not agree. It was proposed: from the next throw", False),
                (("variant-accept",), "Agreed: from the next throw", True),
                (("variant-accept", "aleago-set_dice"), "My engine does not agree", False),
            )
        ),
    ],
    ids=["accepts", "declines", "is not asked", "cannot be told"],
)
async def test_an_engine_is_asked_for_a_single_die(
    tmp_path: Path, own: tuple[str, ...], said: str, is_agreed: bool
) -> None:
    async with at_match(tmp_path, engine_key(tmp_path, *own), game=TWO_DICE) as (_, bridge, person, match):
        await person.hears("Move 1, you: dice")
        person.type("say !dice 1d2")
        await person.hears(said)
        await person.play_first(match, False)
        await until(lambda: len(match.moves) == 2, "the engine's move")
        person.type("resign")
        record = await ended(bridge)
    assert ("w", "set_dice 1d2") in write_game(record.game) or not is_agreed
    commands = (tmp_path / "gtp.txt").read_text()
    assert ("aleago-set_dice 1d2" in commands) == is_agreed
    assert ("variant-accept w set_dice 1d2" in commands) == ("=" in own[0])


@pytest.mark.slow
async def test_what_an_engine_proposes_is_said_once_and_accepted_by_yes(tmp_path: Path) -> None:
    more = engine_key(tmp_path, "variant-propose=set_dice 1d2")
    async with at_match(tmp_path, more, game=TWO_DICE) as (_, bridge, person, match):
        await person.hears("Move 1, you: dice")
        await person.play_first(match, False)
        await person.hears("My engine proposes: from the next throw that nobody has seen, we throw only 1d2")
        await until(lambda: len(match.moves) == 2, "the engine's move")
        await person.play_first(match, False)
        await until(lambda: len(match.moves) == 4, "the engine's move")
        person.type("say !yes")
        await person.hears("Agreed: from the next throw")
        await person.play_first(match, False)
        await until(lambda: len(match.moves) >= 6, "the engine's move")
        person.type("resign")
        record = await ended(bridge)
    assert len(person.heard("My engine proposes")) == 1
    assert [words for _, words in write_game(record.game)].count("set_dice 1d2") == 1
    # Only the opponent is asked.
    assert "variant-accept" not in (tmp_path / "gtp.txt").read_text()
