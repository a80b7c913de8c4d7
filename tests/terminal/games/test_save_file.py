"""Saved games: their files, permissions, damage, and players."""

import io
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.cli import main
from gtp_variants.errors import RecordError
from gtp_variants.lang import RequestRefused
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.records.files import load_record
from gtp_variants.rules.actions import BLACK, RED, WHITE, Event
from gtp_variants.terminal.games.save_file import PLAY, REFEREE, GamesFolder, SaveFile, load, resume
from tests.terminal.session_lines import playing, put_away, refereeing, tell, texts

OLD_GAMES = Path(__file__).parents[2] / "records" / "data" / "old_games"


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    put_away()


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    session = playing(tmp_path / "state", "aleago:size=9")
    tell(session, "A1")
    path = session.host.file.path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finished = tell(session, "resign", "yes")[-1].text.split("Record: ")[1]  # type: ignore[union-attr]
    assert stat.S_IMODE(Path(finished).stat().st_mode) == 0o600


def test_saved_games_are_read_back(tmp_path: Path) -> None:
    session = playing(tmp_path, "aleago:size=9,crystal_ball=true", {WHITE: "uniform"})
    tell(session, "A1", "A2")
    again = load(session.host.file.path)
    assert again.table.game == session.host.table.game
    assert again.record.secret == session.game.record.secret
    assert (again.seats, again.notes) == (session.game.seats, {"kind": PLAY})
    assert again.table.position == session.host.table.position


@pytest.mark.parametrize("name", ["terminal-aleago", "terminal-phantom-counting"])
def test_a_game_that_an_older_version_kept_continues(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    games = tmp_path / "gtp-variants" / "games"
    games.mkdir(parents=True)
    (tmp_path / "gtp-variants" / "finished").mkdir()
    shutil.copy(OLD_GAMES / f"{name}.json", games)
    monkeypatch.setattr("sys.stdin", io.StringIO("undo\nquit\n" if name == "terminal-aleago" else "dead C1\nquit\n"))
    monkeypatch.setattr("gtp_variants.terminal.screen.TerminalScreen.can_clear", True)
    assert main(["play", "--resume", name]) == 0
    said = capsys.readouterr().out
    assert ("Coup repris." if name == "terminal-aleago" else "At present: ") in said
    again = load(games / f"{name}.json")
    assert again.notes["kind"] == PLAY
    assert again.is_counting == (name != "terminal-aleago")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": "x"}, "not a saved game"),
        ({"version": 2}, "version"),
        ({"kind": "x"}, "kind or secret"),
        ({"secret": None}, "kind or secret"),
        ({"seats": []}, "seats"),
        ({"seats": {"w": 1}}, "seats"),
        ({"seats": {key: {"kind": "bot", "name": "greedy"} for key in "bw"}}, "a colour that a person plays"),
        ({"counting": True}, "counting: expected a hidden game that is over"),
        ({"spec": "chess"}, "unknown game"),
    ],
)
def test_damaged(change: dict[str, object], why: str, tmp_path: Path) -> None:
    path = playing(tmp_path, "go:size=5").host.file.path
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(head), **change}), *lines, ""]), encoding="utf-8")
    with pytest.raises(RecordError, match=why):
        load(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_strange_file(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=r"/game\.json: "):
        load(path)
    assert main(["play", "--resume", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"gtp-variants play: {path}: ")


def test_one_game_is_played_in_one_window(tmp_path: Path) -> None:
    session = playing(tmp_path, "go:size=5")
    folder = GamesFolder(tmp_path)
    if sys.platform == "win32":
        pytest.skip("there is no such lock on Windows")
    with pytest.raises(RequestRefused, match="this game is open in another window"):
        resume(folder, PLAY, session.host.file.path.stem)
    with pytest.raises(RequestRefused, match="no unfinished game is saved"):
        resume(folder, PLAY, "")
    session.host.file.release()
    file, game = resume(folder, PLAY, "")
    assert file.path == session.host.file.path
    assert game.table.game == session.host.table.game
    file.release()


def test_the_last_game_of_its_kind_is_taken(tmp_path: Path) -> None:
    old, new = playing(tmp_path, "go:size=5"), playing(tmp_path, "go:size=5")
    assert old.host.file.path != new.host.file.path
    referee = refereeing(tmp_path, "phantom")
    tell(old, "C3")
    tell(new, "C3")
    tell(referee, "C3")
    os.utime(old.host.file.path, (1, 1))
    put_away()
    folder = GamesFolder(tmp_path)
    assert list(folder.paths(PLAY)) == [new.host.file.path, old.host.file.path]
    assert list(folder.paths(REFEREE)) == [referee.host.file.path]
    file, _ = resume(folder, PLAY, "")
    assert file.path == new.host.file.path
    file.release()
    with pytest.raises(RecordError, match="expected a game of `play`, got a game of `referee`"):
        resume(folder, PLAY, referee.host.file.path.stem)


def test_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["play", "--list", "--lang", "fr"]) == 0
    assert capsys.readouterr().out == "Aucune partie inachevée n'est conservée.\n"
    session = playing(tmp_path / "gtp-variants", "alter-igo")
    tell(session, "D4")
    assert main(["play", "--list"]) == 0
    assert capsys.readouterr().out == f"{session.host.file.path.stem}: {session.rules.short_spec}, turn 2\n"


def test_a_disk_that_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is reported once, and the game continues."""
    session = playing(tmp_path, "go:size=3")

    def full(self: object, game: HostedGame) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SaveFile, "write", full)
    assert texts(tell(session, "A1"), "error") == ["The game cannot be saved: No space left on device"]
    assert not texts(tell(session, "B2"), "error")
    assert session.again().host.table.position == session.host.table.position
    assert list(session.host.release()) == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["chess"], "unknown game"),
        (["go", "--bot", "nobody"], "unknown bot"),
        (["go", "--as", "red"], "--as red: expected a colour of this game: b w"),
        (["go", "--as", "bleu"], "--as bleu: expected a colour of this game: b w"),
        (["go", "--two", "--bot", "greedy"], "--two: cannot be combined with --bot"),
        (["go", "--bot", "greedy", "--level", "3"], "the bot greedy has no parameter level"),
        (["phantom", "--two"], "needs a terminal that can be cleared"),
        (["--resume"], "no unfinished game is saved in"),
        (["go", "--bot", "mcts", "--level", "11"], "level=11: expected 1 to 10"),
        (["--resume", "nothing"], "no saved game 'nothing' in"),
        (["go", "--resume", "--as", "w"], "cannot be combined with SPEC, --as"),
        (["--resume", "x.sgf", "--seed", "s"], "cannot be combined with --seed"),
    ],
)
def test_invalid_arguments_of_play_are_refused(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["play", *arguments]) == 2
    assert why in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.json"))


def test_a_saved_game_continues_in_the_players_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session = playing(tmp_path, "go:size=5")
    for name in ("game.sgf", "game.json"):
        tell(session, "C3", f"save {tmp_path / name}")
        monkeypatch.setattr("sys.stdin", io.StringIO("undo\nB2\nresign\noui\n"))
        assert main(["play", "--resume", str(tmp_path / name), "--two", "--lang", "fr"]) == 0
    finished = sorted((tmp_path / "state" / "gtp-variants" / "finished").glob("*.json"))
    assert len(finished) == 2
    assert load_record(finished[0]).game.rules.lang == "fr"
    assert load_record(finished[0]).game.events[0] == Event(BLACK, session.rules.board.point("B2"))


@pytest.mark.parametrize("suffix", ["sgf", "json"])
@pytest.mark.parametrize(
    ("spec", "bots", "options", "seats"),
    [
        ("go:size=5", {WHITE: "mcts:level=1"}, [], "Black: you|White: Search, level 1: "),
        ("go:size=5,lang=fr", {WHITE: "mcts:playouts=9"}, [], "Black: you|White: Search, 9 playouts a move"),
        ("go:size=5", {BLACK: "greedy"}, [], "Black: Greedy: looks one stone ahead|White: you"),
        ("pentalath:players=3", {BLACK: "greedy", RED: "uniform"}, [], "Black: Greedy: |White: you|Red: Random: "),
        ("go:size=5", {}, [], "Black: a person|White: a person"),
        ("go:size=5", {WHITE: "mcts:level=1"}, ["--level", "2"], "Black: you|White: Search, level 2: "),
        ("go:size=5", {WHITE: "mcts:level=1"}, ["--as", "w", "--bot", "greedy"], "Black: Greedy: |White: you"),
        ("go:size=5", {WHITE: "mcts:level=1"}, ["--two"], "Black: a person|White: a person"),
    ],
)
def test_a_saved_games_players_continue(
    spec: str,
    bots: dict[int, str],
    options: list[str],
    seats: str,
    suffix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / f"game.{suffix}"
    tell(playing(tmp_path, spec, bots), f"save {file}")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", "--resume", str(file), *options, "--lang", "en"]) == 0
    said = capsys.readouterr().out
    for who in seats.split("|"):
        assert f"{who}" in said
    assert "instead" not in said


@pytest.mark.parametrize("named", ["Lee Sedol", "Mine, depth=3", "Search, level 99"])
def test_a_missing_player_of_a_saved_game_is_named(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "game.sgf").write_text(f"(;SZ[5]PB[Ada]PW[{named}])")
    for options, is_told in (([], True), (["--bot", "greedy"], False)):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        assert main(["play", "--resume", str(tmp_path / "game.sgf"), *options, "--lang", "en"]) == 0
        assert (f"The file names {named} for White: Search plays instead." in capsys.readouterr().out) == is_told


def test_a_saved_game_that_cannot_continue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = playing(tmp_path, "aleago:size=9")
    tell(session, f"save {tmp_path / 'dice.json'}")
    over = playing(tmp_path, "go:size=5")
    tell(over, "resign", "yes")
    for path, why in [
        (tmp_path / "dice.json", "the file lacks the secret of the dice"),
        (next((tmp_path / "finished").glob("*.json")), "the game is over"),
    ]:
        assert main(["play", "--resume", str(path)]) == 2
        assert why in capsys.readouterr().err
