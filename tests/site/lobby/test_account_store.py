"""The server's store: events are only appended, and a new server continues after a kill."""

import asyncio
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from gtp_variants.errors import RecordError
from gtp_variants.records.files import load_record
from gtp_variants.records.notation import write_game
from gtp_variants.site.access.ratings import Rating, rate
from gtp_variants.site.game_store import GameRows
from gtp_variants.site.lobby.account_game import AccountGame
from gtp_variants.site.lobby.guests import LobbySettings
from gtp_variants.site.lobby.lobby import Lobby
from gtp_variants.site.site_file import SiteStore
from gtp_variants.site.tournaments import TournamentStore
from tests.bridge.fakes.running_bridge import environment
from tests.site.lobby.servers import new_game, play, play_on
from tests.support.waiting import until

SPECS = ("go:size=5", "aleago:size=5,crystal_ball=true", "phantom:size=5", "pentalath")


OLD = Path(__file__).parents[2] / "records" / "data" / "old_games"


def left_behind(folder: Path, copy: str) -> Path:
    """The files as a server leaves them that is killed now."""
    (folder / copy).mkdir()
    for file in folder.glob("server.sqlite3*"):
        shutil.copy(file, folder / copy / file.name)
    return folder / copy / "server.sqlite3"


def games_of(stored: list[GameRows]) -> list[AccountGame]:
    """The readable ones, replayed."""
    found = []
    for each in stored:
        with suppress(RecordError):
            game = each.replay()
            assert isinstance(game, AccountGame)
            found.append(game)
    return found


def running(path: Path) -> list[AccountGame]:
    store = SiteStore(path)
    try:
        return games_of(store.games.find_unfiled(is_over=False))
    finally:
        store.close()


def test_games_of_an_older_version_continue_in_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "server.sql").read_text(encoding="utf-8"))
    file.close()
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    for _ in (1, 2):
        store = SiteStore(path)
        (ended,) = games_of(store.games.find_unfiled(is_over=True))
        assert (ended.result, ended.hosted.why) == (expected["server 5"]["result"], expected["server 5"]["why"])
        games = games_of(store.games.find_unfiled(is_over=False))
        assert [game.number for game in games] == [1, 2, 3, 4]
        for game in games:
            was = expected[f"server {game.number}"]
            assert [list(words) for words in write_game(game.game)][: len(was["record"]["events"])] == was["record"][
                "events"
            ]
            game.hosted.clocks.start()
            game.play("pass" if game.rules.profile.is_go else game.rules.board.vertex(_free(game)))
            assert len([line for line in game.hosted.lines if line.startswith("[")]) == len(game.game.events)
            store.games.write(game)
        store.close()


def test_the_server_takes_over_its_file_of_version_4(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript((OLD / "server4.sql").read_text(encoding="utf-8"))
    file.close()
    for _ in (1, 2):
        store = SiteStore(path)
        alpha, ann = store.accounts.find("ALPHA"), store.accounts.find("ann")
        assert alpha is not None
        assert ann is not None
        assert (alpha.kind, ann.kind) == ("bot", "person")
        # The only rating of an account counts at each game that it has finished.
        assert store.accounts.ratings("alpha") == {"go": Rating(1524.0, 150.0, 0.06, 1)}
        assert store.accounts.ratings("ann") == {"go": Rating(1476.0, 150.0, 0.06, 1)}
        assert store.accounts.bans() == {"203.0.113.9": (4e9, "noise")}
        (game,) = games_of(store.games.find_unfiled(is_over=False))
        assert (game.number, game.names, game.asked) == (2, {1: "ann", 2: "alpha"}, 2)
        assert [list(words) for words in write_game(game.game)] == [["b", "C3"], ["w", "C3"]]
        assert (store.games.next_number(), sum(store.games.met().values())) == (3, 2)
        (ended,) = store.games.results(9)
        assert (ended.number, ended.result, ended.event, ended.short_spec) == (1, "B+Resign", "cup 1.1", "go 5")
        tournaments = TournamentStore(store.database)
        assert tournaments.entrants("cup") == ["alpha", "ann"]
        assert tournaments.results("cup") == {("1.1", "alpha", "ann"): (1.0, 0.0), ("1.2", "ann", "alpha"): (0.0, 1.0)}
        stored = store.games.load("1")
        assert stored is not None
        (found,) = games_of([stored])
        assert (found.result, len(found.game.events)) == ("B+Resign", 2)
        assert store.accounts.history("ann", "go") == [1476.0]
        store.close()
    store = SiteStore(path)
    (going,) = games_of(store.games.find_unfiled(is_over=False))
    going.start()
    going.play("D4")
    store.games.write(going)
    store.close()
    (again,) = running(path)
    assert again.game == going.game


def _free(game: AccountGame) -> int:
    return next(action for action in game.rules.legal(game.game.position) if action >= 0)


def test_a_move_adds_its_events_and_writes_nothing_again(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=19")
    rows = 0
    for number in range(60):
        before = store.database._connection.total_changes
        events = len(match.game.events)
        store.games.write(match)
        # A row for each new event, and at first that of the game and that of the journal's beginning.
        assert store.database._connection.total_changes - before == events - rows + 2 * (number == 0)
        rows = events
        play_on(match, 1, number)
    store.close()


def test_a_failed_write_is_repeated_with_the_next_move(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=5")
    for full in (True, True, False, True, True, False):
        store.database.run_script(f"pragma query_only = {int(full)}")
        if full:
            with pytest.raises(OSError, match="game 1 cannot be saved"):
                store.games.write(match)
        else:
            store.games.write(match)
        play_on(match, 1)
    (found,) = games_of(store.games.find_unfiled(is_over=False))
    assert 0 < len(found.game.events) < len(match.game.events)
    store.close()


def test_a_file_that_is_torn_anywhere_has_a_beginning_of_the_game(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    store.close()
    store = SiteStore(tmp_path / "server.sqlite3")
    match = new_game("aleago:size=5")
    for number in range(8):
        store.games.write(match)
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
        damaged, head = list(lines), match.hosted.lines[0]
        if rng.randrange(8) < 4:
            head = _damaged(head, rng)
        else:
            at = rng.randrange(len(damaged))
            damaged[at] = _damaged(damaged[at], rng)
        try:
            AccountGame.load(1, [head, *damaged])
        except RecordError as error:
            refused += 1
            longest = max(longest, len(str(error)))
    assert refused > 250
    assert longest < 500


def test_a_stored_game_without_account_names_is_refused() -> None:
    match = new_game(black="../../alpha")
    with pytest.raises(RecordError, match="account names"):
        AccountGame.load(1, match.hosted.lines[:1])


def test_a_stored_game_for_three_or_without_an_end_is_refused() -> None:
    match = new_game("pentalath")
    head = json.loads(match.hosted.lines[0])
    three = json.dumps({**head, "spec": "pentalath:players=3"})
    with pytest.raises(RecordError, match="between Black and White"):
        AccountGame.load(1, [three])
    with pytest.raises(RecordError, match="over but has no result"):
        AccountGame.load(1, [json.dumps(head), '["b","resign"]'])


def ratings(path: Path) -> dict[str, Rating]:
    """Ratings as the file has them; fails where they are not those of its games."""
    store = SiteStore(path)
    try:
        found = {name: Rating() for name in ("alpha", "bravo")}
        ended = "select black, white, result from games where result <> '' order by number"
        for black, white, result in store.database.rows(ended):
            score = 1.0 if result.startswith("B") else 0.0
            one, other = found[black], found[white]
            found |= {black: rate(one, [(other, score)]), white: rate(other, [(one, 1 - score)])}
        assert {name: store.accounts.rating(name, "go") for name in found} == found
        return found
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
        assert 2 * ratings(path)["alpha"].games >= told - 1


def test_the_end_and_the_ratings_are_written_together_and_once(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    match = new_game()
    play(match, "resign", 0.0)
    after = {("alpha", "go"): Rating(1338.0, 290.0, 0.06, 1), ("bravo", "go"): Rating(1662.0, 290.0, 0.06, 1)}
    # What fails in the middle of it has not happened.
    store.database.run_script(
        "create temp trigger broken before insert on rating_history when new.name = 'bravo' "
        "begin select raise(abort, 'the disk is gone'); end"
    )
    with pytest.raises(OSError, match="game 1 cannot be saved: the disk is gone"):
        store.games.write(match, ratings=after)
    assert store.accounts.ratings("alpha") == {}
    assert not store.database.rows("select * from games")
    store.database.run_script("drop trigger broken")
    store.games.write(match, ratings=after)
    store.games.write(match, ratings=dict.fromkeys(after, Rating(9.0, 9.0, 0.06, 2)))
    assert {(name, "go"): store.accounts.rating(name, "go") for name in ("alpha", "bravo")} == after
    (found,) = games_of(store.games.find_unfiled(is_over=True))
    assert (found.result, found.hosted.why) == (match.result, match.hosted.why)
    store.games.file(1)
    assert not list(store.games.find_unfiled(is_over=True))
    assert not list(store.games.find_unfiled(is_over=False))
    store.close()


def test_a_record_that_was_not_written_before_the_end_is_written_at_the_next_start(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    match = new_game()
    for word in ("C3", "D3", "nonsense"):
        play(match, word, 1.0)
    store.games.write(match)

    async def start() -> None:
        lobby = Lobby(LobbySettings(("go:size=5",)), store, tmp_path, lambda text: None)
        assert not lobby.running
        await until(lambda: not store.games.find_unfiled(is_over=True), "the record")

    asyncio.run(start())
    (path,) = (tmp_path / "records").iterdir()
    record = load_record(path)
    assert record.game == match.game
    assert "cannot be read" in record.comment
    store.close()
