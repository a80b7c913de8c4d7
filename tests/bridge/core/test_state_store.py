"""Stored games: older versions are read, and journals are only appended to."""

import json
from pathlib import Path
from shutil import copyfile

from gtp_variants.bridge.core.game_sync import PrivateSteps, Step
from gtp_variants.bridge.core.private_game import load_game, record_of
from gtp_variants.bridge.core.state_store import StateStore, StoredGame
from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.records.notation import read_move
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE

OLD_STATE = Path(__file__).with_name("data") / "old_state"
OLD_GAMES = Path(__file__).parents[2] / "records" / "data" / "old_games"


def _store_with(folder: Path, sample: Path) -> tuple[StateStore, StoredGame]:
    store = StateStore(folder / "games")
    store.folder.mkdir()
    key = json.loads(sample.read_text(encoding="utf-8"))["key"]
    copyfile(sample, store.folder / f"{key}.json")
    stored = store.load(key)
    assert stored is not None
    assert list(store) == [key]
    return store, stored


def test_a_game_of_a_server_that_an_older_version_stored(tmp_path: Path) -> None:
    store, stored = _store_with(tmp_path, OLD_STATE / "nngs-botty-alpha.json")
    assert stored == StoredGame(
        "nngs-botty-alpha",
        "aleago:size=5,dice=1d3",
        "20260901-101500-alpha-botty",
        secret=bytes(range(32)),
        count=4,
        private_steps=(PrivateSteps(3, (Step(1, "pass"), Step(2, "resume"), Step(2, "pass"))),),
        let_stand=(1,),
        warnings=2,
        takebacks=1,
        accepts=True,
        has_shown_draw=True,
        lang="fr",
        langs=(("alpha", "en"),),
        configured="aleago:size=5,dice=1d3",
    )
    assert store.load_journal(stored) is None
    before = json.loads(store.folder.joinpath("nngs-botty-alpha.json").read_bytes())
    store.save(stored)
    new = {"drawn": True, "furthest": 0, "single_die_from": 0, "terms": [], "after": "", "configured": stored.spec}
    assert json.loads(store.folder.joinpath("nngs-botty-alpha.json").read_bytes()) == {**before, **new}


def test_a_single_die_is_stored_and_stays_when_moves_are_taken_back(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "games")
    stored = StoredGame(
        "key", "aleago:size=5,dice=2d2", "record", count=6, furthest=7, single_die_from=8, terms=((1, -9),)
    )
    store.save(stored)
    assert store.load("key") == stored
    taken_back = stored.cut_to(2)
    assert (taken_back.count, taken_back.furthest, taken_back.single_die_from) == (2, 7, 8)


def test_a_private_game_that_an_older_version_stored_continues_in_a_journal(tmp_path: Path) -> None:
    store, stored = _store_with(tmp_path, OLD_GAMES / "bridge-private.json")
    hosted = load_game(store, stored)
    assert hosted is not None
    assert [seat.name for seat in hosted.seats.values()] == ["anna", "bert"]
    count = len(hosted.table.game.events)
    assert count > 0
    journal = store.journal(stored.key)
    journal.write(hosted.lines)
    before = journal.path.read_bytes()
    assert journal.path.stat().st_mode & 0o077 == 0
    hosted.play(hosted.table.position.mover, read_move(hosted.rules.board, "resign"))
    journal.write(hosted.lines)
    assert journal.path.read_bytes().startswith(before)
    again = load_game(store, stored)
    assert again is not None
    assert list(again.table.game.events) == list(hosted.table.game.events)
    assert record_of(again).result is not None
    store.delete(stored.key)
    assert not list(store.folder.iterdir())


def test_an_older_stored_game_restores_bot_seats_and_counting(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    hosted = HostedGame.new(
        new_record(parse("phantom:size=3,dead=agreed"), bytes(32)),
        {BLACK: Participant(PERSON, "anna"), WHITE: Participant(PERSON, "botty")},
    )
    for word in ("b2", "pass", "pass"):
        hosted.play(hosted.table.position.mover, read_move(hosted.rules.board, word))
    stored = StoredGame("key", hosted.rules.spec, "record")
    store.journal("key").write(hosted.lines)
    again = load_game(store, stored, our_colour=WHITE)
    assert again is not None
    assert (again.seats[WHITE].kind, again.people) == (BOT, [BLACK])
    assert again.is_counting


def test_an_unreadable_stored_game_is_ignored(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    for name, text in (("torn", '{"version": 1, "key"'), ("other", '{"version": 99, "key": "other"}'), ("bare", "{}")):
        (tmp_path / f"{name}.json").write_text(text)
        assert store.load(name) is None
    assert list(store) == ["other"]
