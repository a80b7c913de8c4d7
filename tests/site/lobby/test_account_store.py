"""The server's store: events are only appended, and a new server continues after a kill."""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.site.access.accounts import Account, Anchors, rate
from gtp_variants.site.lobby.account_game import AccountGame, load_game
from gtp_variants.site.lobby.account_store import Archive, ServerStore
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.tournaments import TournamentStore
from tests.bridge.fakes.running_bridge import environment
from tests.site.lobby.servers import new_game, play, play_on

SPECS = ("go:size=5", "aleago:size=5,crystal_ball=true", "phantom:size=5", "pentalath")


OLD = Path(__file__).parents[2] / "records" / "data" / "old_games"


def left_behind(folder: Path, copy: str) -> Path:
    """The files as a server leaves them that is killed now."""
    (folder / copy).mkdir()
    for file in folder.glob("server.sqlite3*"):
        shutil.copy(file, folder / copy / file.name)
    return folder / copy / "server.sqlite3"


def running(path: Path) -> list[AccountGame]:
    store = ServerStore(path)
    try:
        return [each for each in store.running() if isinstance(each, AccountGame)]
    finally:
        store.close()


def test_games_of_an_older_version_continue_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "server.sql").read_text(encoding="utf-8"))
    file.close()
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    for _ in (1, 2):
        store = ServerStore(path)
        games = [each for each in store.running() if isinstance(each, AccountGame)]
        assert [game.number for game in games] == [1, 2, 3, 4]
        for game in games:
            was = expected[f"server {game.number}"]
            assert [list(words) for words in write_game(game.game)][: len(was["record"]["events"])] == was["record"][
                "events"
            ]
            game.hosted.clocks.start()
            game.play("pass" if game.rules.profile.is_go else game.rules.board.vertex(_free(game)))
            assert len([line for line in game.hosted.lines if line.startswith("[")]) == len(game.game.events)
            store.write(game)
        (ended,) = store.without_record()
        assert isinstance(ended, AccountGame)
        assert (ended.result, ended.hosted.why) == (expected["server 5"]["result"], expected["server 5"]["why"])
        store.close()


def test_the_server_takes_over_its_file_of_version_4(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "server4.sql").read_text(encoding="utf-8"))
    file.close()
    for _ in (1, 2):
        store = ServerStore(path)
        alpha, ann = store.account("ALPHA"), store.account("ann")
        assert alpha is not None
        assert ann is not None
        assert (alpha.rating, alpha.games, alpha.kind) == (1524.0, 4, "bot")
        assert (ann.rating, ann.games, ann.kind) == (1476.0, 3, "person")
        assert store.sessions().keys() == {"alpha"}
        assert store.bans() == {"203.0.113.9": (4e9, "noise")}
        (game,) = store.running()
        assert isinstance(game, AccountGame)
        assert (game.number, game.names, game.asked) == (2, {1: "ann", 2: "alpha"}, 2)
        assert [list(words) for words in write_game(game.game)] == [["b", "C3"], ["w", "C3"]]
        assert (store.next_number(), sum(store.met().values())) == (3, 2)
        (ended,) = store.latest(9)
        assert (ended.number, ended.result, ended.event, ended.short_spec) == (1, "B+Resign", "cup 1.1", "go 5")
        tournaments = TournamentStore(store.database)
        assert tournaments.entrants("cup") == ["alpha", "ann"]
        assert tournaments.results("cup") == {("1.1", "alpha", "ann"): (1.0, 0.0), ("1.2", "ann", "alpha"): (0.0, 1.0)}
        store.close()
        archive = Archive(tmp_path, Anchors({}))
        found = archive.game(1)
        assert (found.result, len(found.game.events)) == ("B+Resign", 2)
        assert [step.rating for step in archive.history("ann")] == [1476.0]
        archive.close()
    store = ServerStore(path)
    (going,) = (each for each in store.running() if isinstance(each, AccountGame))
    going.start()
    going.play("D4")
    store.write(going)
    store.close()
    (again,) = running(path)
    assert again.game == going.game


def _free(game: AccountGame) -> int:
    return next(action for action in game.rules.legal(game.game.position) if action >= 0)


def test_a_move_adds_its_events_and_writes_nothing_again(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=19")
    rows = 0
    for number in range(60):
        before = store.database._connection.total_changes
        events = len(match.game.events)
        store.write(match)
        # A row for each new event, and at first that of the game and that of the journal's beginning.
        assert store.database._connection.total_changes - before == events - rows + 2 * (number == 0)
        rows = events
        play_on(match, 1, number)
    store.close()


def test_a_failed_write_is_repeated_with_the_next_move(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=5")
    for full in (True, True, False, True, True, False):
        store.database.run_script(f"pragma query_only = {int(full)}")
        if full:
            with pytest.raises(OSError, match="game 1 cannot be saved"):
                store.write(match)
        else:
            store.write(match)
        play_on(match, 1)
    (found,) = store.running()
    assert isinstance(found, AccountGame)
    assert 0 < len(found.game.events) < len(match.game.events)
    store.close()


def test_a_file_that_is_torn_anywhere_has_a_beginning_of_the_game(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "server.sqlite3")
    store.close()
    store = ServerStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=5")
    for number in range(8):
        store.write(match)
        play_on(match, 1, number)
    lines = match.hosted.lines[1:]
    whole = (tmp_path / "server.sqlite3-wal").stat().st_size
    counts = []
    rng = random.Random(3)
    for number, length in enumerate(sorted(rng.randrange(whole) for _ in range(40))):
        path = left_behind(tmp_path, f"torn {number}")
        with path.with_name("server.sqlite3-wal").open("r+b") as file:
            if number % 2:
                file.truncate(length)
            else:
                # What was written last may also be there and wrong.
                file.seek(length)
                byte = file.read(1)[0]
                file.seek(length)
                file.write(bytes([byte ^ 0xFF]))
        for found in running(path):
            counts.append(len(found.game.events))
            assert found.hosted.lines[1:] == lines[: counts[-1]]
    store.close()
    assert counts == sorted(counts)
    assert len(set(counts)) > 4


def _damaged(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    match rng.randrange(4):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + rng.choice('{}[]",:0b9\x00é\ud800') + text[at + 1 :]
        case 2:
            return rng.choice(["", "null", "[]", "{}", "[1,2]", '["b",5]', "[" * 10_000, "NaN", '["b","D4",NaN,1]'])
        case _:
            return text[:at] + text[at:] * 2


@pytest.mark.parametrize("spec", SPECS)
def test_damaged_lines_are_a_game_or_said_to_be_none(spec: str) -> None:
    rng = random.Random(5)
    match = new_game(spec)
    play_on(match, 12)
    lines, refused, longest = match.hosted.lines[1:], 0, 0
    for _ in range(400):
        damaged, head, secret = list(lines), match.hosted.lines[0], bytes([1] * 32)
        what = rng.randrange(8)
        if what < 3:
            head = _damaged(head, rng)
        elif what == 3:
            secret = rng.randbytes(rng.randrange(40))
        else:
            at = rng.randrange(len(damaged))
            damaged[at] = _damaged(damaged[at], rng)
        try:
            load_game(1, [head, *damaged], secret)
        except RecordError as error:
            refused += 1
            longest = max(longest, len(str(error)))
    assert refused > 250
    assert longest < 500


def test_a_stored_game_without_account_names_is_refused() -> None:
    match = new_game(black="../../alpha")
    with pytest.raises(RecordError, match="account names"):
        load_game(1, match.hosted.lines[:1], bytes([1] * 32))


def test_a_stored_game_for_three_or_without_an_end_is_refused() -> None:
    match = new_game("pentalath")
    head = json.loads(match.hosted.lines[0])
    three = json.dumps({**head, "spec": "pentalath:players=3"})
    with pytest.raises(RecordError, match="between Black and White"):
        load_game(1, [three], bytes([1] * 32))
    with pytest.raises(RecordError, match="over but has no result"):
        load_game(1, [json.dumps(head), '["b","resign"]'], bytes([1] * 32))


def ratings(path: Path) -> dict[str, tuple[float, int]]:
    """Ratings and numbers of games as the file has them; fails where they are not those of its games."""
    store = ServerStore(path)
    try:
        accounts = {name: Account(name, "") for name in ("alpha", "bravo")}
        ended = "select black, white, result from games where result <> '' order by number"
        for black, white, result in store.database.rows(ended):
            new_ratings = rate(accounts[black], accounts[white], 1.0 if result.startswith("B") else 0.0)
            for name, rating in zip((black, white), new_ratings, strict=True):
                accounts[name] = replace(accounts[name], rating=rating, games=accounts[name].games + 1)
        found = {name: store.account(name) for name in accounts}
        for name, account in found.items():
            assert account is not None
            assert (account.rating, account.games) == (accounts[name].rating, accounts[name].games)
        return {name: (account.rating, account.games) for name, account in accounts.items()}
    finally:
        store.close()


@pytest.mark.slow
def test_a_server_that_is_killed_between_any_two_steps_has_lost_and_doubled_no_rating(tmp_path: Path) -> None:
    rng = random.Random(2)
    command = [sys.executable, str(Path(__file__).with_name("resigning.py")), str(tmp_path)]
    told = 0
    for _ in range(4):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment())
        assert child.stdout is not None
        for _ in range(rng.randrange(2, 60)):
            assert child.stdout.readline().startswith("gameover")
            told += 1
        child.kill()
        child.wait()
        # Both players are told of each end.
        told += len(child.stdout.readlines())
        child.stdout.close()
        path = left_behind(tmp_path, f"killed {told}")
        assert 2 * ratings(path)["alpha"][1] >= told - 1


def test_the_end_and_the_ratings_are_written_together_and_once(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "server.sqlite3")
    one, other = [Account(name, "") for name in ("alpha", "bravo")]
    for account in (one, other):
        store.write_account(account)
    match = new_game()
    play(match, "resign", 0.0)
    after = [replace(one, rating=1476.0, games=1), replace(other, rating=1524.0, games=1)]
    # What fails in the middle of it has not happened.
    store.database.run_script(
        "create temp trigger broken before update on accounts when old.name = 'bravo' "
        "begin select raise(abort, 'the disk is gone'); end"
    )
    with pytest.raises(OSError, match="the end of game 1 cannot be saved: the disk is gone"):
        store.end(match, after)
    assert [store.account(each.name) for each in (one, other)] == [one, other]
    assert not store.database.rows("select * from games")
    store.database.run_script("drop trigger broken")
    store.end(match, after)
    store.end(match, [replace(each, rating=9.0, games=2) for each in after])
    assert [store.account(each.name) for each in after] == after
    (found,) = store.without_record()
    assert isinstance(found, AccountGame)
    assert (found.result, found.hosted.why) == (match.result, match.hosted.why)
    store.file(1)
    assert not list(store.without_record())
    assert not list(store.running())
    store.close()


def test_a_record_that_was_not_written_before_the_end_is_written_at_the_next_start(tmp_path: Path) -> None:
    store = ServerStore(tmp_path / "server.sqlite3")
    match = new_game()
    for word in ("C3", "D3", "nonsense"):
        play(match, word, 1.0)
    store.end(match, ())
    lobby = Lobby(LobbySettings(("go:size=5",)), store, tmp_path, lambda text: None)
    (path,) = (tmp_path / "records").iterdir()
    record = load_record(path)
    assert record.game == match.game
    assert "cannot be read" in record.comment
    assert not lobby.running
    assert not list(store.without_record())
    store.close()
