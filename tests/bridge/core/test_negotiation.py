"""Agreements in chat: terms before the first move, the second game of a match, and the answers of an engine."""

import os
from dataclasses import replace
from pathlib import Path
from time import time

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
        await until(lambda: bool(bridge.session.games), "the game")
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


def _note_match(store: StateStore, spec: str = "go:size=5", configured: str = "go:size=5") -> Path:
    """Store the end of a match's first game, Anna against Botty, and return the match's file."""
    game = Game(parse(spec))
    game.play(BLACK, pack(MATCH, 2))
    game.play(WHITE, RESIGN)
    terms = ((BLACK, pack(MATCH, 2)),)
    store.note_match(
        {BLACK: "anna", WHITE: "botty"}, StoredGame("1", spec, "first", terms=terms, configured=configured), game
    )
    assert tell_match(game, {})[0] == "match_second"
    return store.folder / "botty_vs_anna.match"


SWAPPED = {BLACK: "Botty", WHITE: "Anna"}


def test_a_match_is_kept_for_the_same_two_players_with_swapped_colours(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    path = _note_match(store)
    assert list(store) == []
    new = StoredGame("nngs-2", "go:size=5", "second")
    assert store.begin({BLACK: "anna", WHITE: "botty"}, 5, new) == new
    assert store.begin(SWAPPED, 9, new) == new
    following = store.begin(SWAPPED, 5, new)
    assert (following.after, following.terms) == ("first", ((WHITE, pack(MATCH, 3)),))
    path.write_text("[1]")
    assert store.begin(SWAPPED, 5, new) == new


@pytest.mark.parametrize(("age_h", "is_second"), [(5.9, True), (6.1, False)])
def test_a_match_expires_after_six_hours(tmp_path: Path, age_h: float, is_second: bool) -> None:
    store = StateStore(tmp_path)
    then = time() - age_h * 3600
    os.utime(_note_match(store), (then, then))
    assert store.begin(SWAPPED, 5, StoredGame("2", "go:size=5", "second")).after == ("first" if is_second else "")


def test_a_second_game_needs_the_configured_spec_of_the_first(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    _note_match(store, "go:size=5,komi=3.5", "go:size=5")
    changed = StoredGame("2", "go:size=5,komi=0.5", "second")
    assert store.begin(SWAPPED, 5, changed) == changed
    agreed = StoredGame("2", "go:size=5,komi=3.5", "second")
    assert store.begin(SWAPPED, 5, agreed) == agreed
    following = store.begin(SWAPPED, 5, StoredGame("2", "go:size=5", "second", configured="go:size=5"))
    assert (following.spec, following.configured, following.after) == ("go:size=5,komi=3.5", "go:size=5", "first")


def test_a_match_is_kept_until_its_second_game_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, new = StateStore(tmp_path), StoredGame("2", "go:size=5", "second")
    path = _note_match(store)
    other = path.with_name("other_vs_anna.match")
    other.write_text(path.read_text().replace("first", "another"))
    following = store.begin(SWAPPED, 5, new)
    # A crash before the new game is stored.
    assert store.begin(SWAPPED, 5, new) == following
    with monkeypatch.context() as patch:
        patch.setattr("gtp_variants.bridge.core.state_store.write", _fail_to_write)
        with pytest.raises(OSError, match="full"):
            store.save(following)
    assert store.begin(SWAPPED, 5, new) == following
    store.save(replace(new, key="3"))
    assert path.exists()
    store.save(following)
    assert store.load("2") == following
    assert (path.exists(), other.exists()) == (False, True)
    assert store.begin(SWAPPED, 5, new) == new


def _fail_to_write(*_: object) -> None:
    raise OSError("the disk is full")


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
