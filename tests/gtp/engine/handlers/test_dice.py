"""The two kinds of dice (gtp.md 4, "Dice")."""

import hashlib
import hmac
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from tests.gtp.talk import Talk
from tests.support.programs import COMMAND

SPEC = "aleago:size=9,dice=1d4"


@pytest.fixture(autouse=True)
def window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTP_VARIANTS_HOST", "this window")


def draws(talk: Talk, turns: int = 12) -> list[str]:
    """The draw of each turn of a game of passes and stones, without ending it."""
    found = []
    for number in range(turns):
        line = talk("aleago-draw").split("\n")[0]
        found.append(line)
        legal = talk("variant-legal_moves").split()
        talk(f"play {line[0]} {legal[0] if number % 3 else 'pass'}")
    return found


def stream(secret: bytes, turn: int, sides: int, index: int = 0) -> int:
    """Face number `index` of a draw, from the documentation and nothing else."""
    attempt = 0
    while True:
        block = hmac.new(secret, f"draw {turn} face {index} try {attempt}".encode(), hashlib.sha256).digest()
        number = int.from_bytes(block[:8], "big")
        if number < 2**64 - 2**64 % sides:
            return number % sides + 1
        attempt += 1


# -- secret ------------------------------------------------------------------------------------------------------------


def test_secret_dice_are_a_function_of_secret_and_turn() -> None:
    expected = [f"{'bw'[turn % 2]} {stream(b'my secret', turn + 1, 4)}" for turn in range(12)]
    assert draws(Talk(SPEC, seed="my secret")) == expected
    two = Talk("aleago:size=19,dice=2d6", seed="my secret")
    assert two("aleago-draw") == f"b {stream(b'my secret', 1, 6, 0)} {stream(b'my secret', 1, 6, 1)}"


def test_secret_dice_do_not_look_at_the_moves() -> None:
    first, second = Talk(SPEC, seed="s"), Talk(SPEC, seed="s")
    first.does("aleago-draw b free/play b A1")
    second.does("play b pass")
    assert first("aleago-draw") == second("aleago-draw")


def test_turns_are_stones_and_passes_only() -> None:
    talk = Talk(SPEC, seed="count")
    talk("set_free_handicap C3 G7")
    assert talk("aleago-draw") == f"w {stream(b'count', 1, 4)}"
    occupied = talk.fails("play w C3")
    assert occupied.startswith("illegal move (occupied)")
    assert talk("aleago-draw") == f"w {stream(b'count', 1, 4)}"
    talk("play w pass")
    assert talk("aleago-draw") == f"b {stream(b'count', 2, 4)}"
    # Black is passed over: turn 2 is White's, under the same draw.
    talk.does("play w pass/undo/play b pass")
    assert talk("aleago-draw") == f"w {stream(b'count', 3, 4)}"


def test_a_side_that_is_passed_over_does_not_count() -> None:
    talk = Talk(SPEC, seed="over")
    line = stream(b"over", 1, 4)
    talk(f"play w {['A1', 'B2', 'C3', 'D4'][line - 1]}")
    assert talk("aleago-draw") == f"b {stream(b'over', 2, 4)}"
    talk("play w pass")
    assert talk("aleago-draw") == f"b {stream(b'over', 3, 4)}"


@pytest.mark.parametrize("seed", ["secret", None])
@pytest.mark.parametrize("spec", [SPEC, SPEC + ",crystal_ball=true", "aleago:size=19,dice=2d6,overflow=reroll"])
def test_the_same_dice_come_again(spec: str, seed: str | None) -> None:
    talk = Talk(spec, seed=seed)
    first = draws(talk)
    talk("clear_board")
    assert draws(talk) == first
    talk.does("set_random_seed 12345/gg-undo 12")
    assert draws(talk) == first
    talk.does("gg-undo 7/set_random_seed 7/clear_board")
    assert draws(talk) == first
    talk(f"variant-set {spec}")
    assert draws(talk) == first
    again = Talk(spec, seed=seed)
    assert draws(again) == first


def test_no_total_stands_that_is_thrown_again() -> None:
    talk = Talk("aleago:size=19,dice=2d6,overflow=reroll", seed="reroll")
    totals = Counter(sum(map(int, line.split()[1:])) for line in draws(talk, 60))
    assert max(totals) <= 10
    assert min(totals) >= 2


def test_faces_are_uniform() -> None:
    faces = Counter(stream(b"uniform", turn, 6) for turn in range(1, 6001))
    assert all(abs(count - 1000) < 150 for count in faces.values())
    thrown = Counter(line[2:] for line in draws(Talk("aleago:size=25,dice=1d6,end_passes=1000", seed="uniform"), 300))
    assert thrown == Counter(str(stream(b"uniform", turn, 6)) for turn in range(1, 301))


# -- shared ------------------------------------------------------------------------------------------------------------


def test_shared_dice_look_at_the_moves_before_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    def second_draws(host: str) -> list[str]:
        monkeypatch.setenv("GTP_VARIANTS_HOST", host)
        found = []
        for vertex in ("A1", "A2", "A3", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "pass"):
            talk = Talk(SPEC)
            talk.does(f"aleago-draw b free/play b {vertex}")
            found.append(talk("aleago-draw"))
        return found

    assert len(set(second_draws("one"))) > 1
    assert second_draws("one") == second_draws("one")
    assert second_draws("one") != second_draws("two")


def test_with_the_crystal_ball_the_last_move_before_the_draw_does_not_count() -> None:
    ahead = set()
    for vertex in ("A1", "A2", "A3", "B1", "C1", "D1", "E1", "F1", "G1", "H1", "pass"):
        talk = Talk(SPEC + ",crystal_ball=true")
        first = talk("aleago-draw").split("\n")
        talk.does(f"aleago-draw b free/play b {vertex}")
        second = talk("aleago-draw").split("\n")
        assert second[0] == first[1]
        ahead.add(second[1])
    assert len(ahead) > 1


def test_refused_moves_do_not_change_shared_dice() -> None:
    talk = Talk(SPEC)
    talk.does("aleago-draw b free/play b E5")
    drawn = talk("aleago-draw")
    talk.fails("play w E5")
    talk.fails("play w Z9")
    assert talk("aleago-draw") == drawn


# -- processes ---------------------------------------------------------------------------------------------------------


def engine(host: str | None, folder: Path, *arguments: str) -> GtpController:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "HOME": str(folder)}
    environment.pop("GTP_VARIANTS_HOST", None)
    if host is not None:
        environment["GTP_VARIANTS_HOST"] = host
    command = [*COMMAND, "gtp", *arguments]
    return GtpController(ProcessChannel(command, environment=environment, stderr=folder / "stderr"))


@pytest.fixture
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[GtpController]]:
    peers = [engine(host, tmp_path, *arguments) for host, *arguments in request.param]
    yield peers
    for peer in peers:
        peer.close()


def game(peer: GtpController, moves: int = 12) -> list[str]:
    found = []
    for _ in range(moves):
        line = peer.send("aleago-draw")
        found.append(line)
        point = peer.send("aleago-open").split()[0]
        peer.send("play", line[0], point)
    return found


@pytest.mark.parametrize("two", [[("w1", SPEC), ("w1", SPEC)], [(None, SPEC), (None, SPEC)]], indirect=True)
def test_processes_of_one_window_throw_alike(two: list[GtpController]) -> None:
    assert game(two[0]) == game(two[1])


@pytest.mark.parametrize(
    "two", [[("w1", SPEC), ("w2", SPEC)], [("w1", SPEC, "--seed", "a"), ("w1", SPEC, "--seed", "b")]], indirect=True
)
def test_different_windows_or_seeds_have_different_throws(two: list[GtpController]) -> None:
    assert game(two[0], 20) != game(two[1], 20)


@pytest.mark.parametrize("two", [[("w1", SPEC, "--seed", "a"), ("w2", SPEC, "--seed", "a")]], indirect=True)
def test_a_seed_is_the_same_in_every_window(two: list[GtpController]) -> None:
    assert game(two[0]) == game(two[1])


@pytest.mark.slow
def test_shells_between_the_host_and_its_engines_do_not_part_them(tmp_path: Path) -> None:
    """GoGui starts its programs directly or through a script; this process is the host of all of them."""
    command = f"{sys.executable} -m gtp_variants gtp {SPEC}"
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    environment.pop("GTP_VARIANTS_HOST", None)
    turn = b"aleago-draw\naleago-draw b free\nplay b %s1\naleago-draw\nundo\n"
    sent = b"".join(turn % letter for letter in (b"A", b"B", b"C"))

    def answers(*words: str) -> bytes:
        return subprocess.run(words, input=sent, capture_output=True, check=True, env=environment, timeout=60).stdout

    plain = answers(*command.split())
    assert plain.count(b"\n\n") == 15
    assert answers("sh", "-c", command) == plain
    assert answers("sh", "-c", f"sh -c '{command}; true'; true") == plain
    assert answers("env", "nice", *command.split()) == plain


def test_the_hosts_file_is_for_its_user_only(tmp_path: Path) -> None:
    peer = engine(None, tmp_path, SPEC)
    peer.send("aleago-draw")
    peer.close()
    key = tmp_path / "gtp-variants" / "host-key"
    assert len(key.read_bytes()) == 32
    assert sys.platform == "win32" or key.stat().st_mode & 0o077 == 0
    assert [path.name for path in key.parent.iterdir()] == ["host-key"]


def test_a_user_without_a_place_for_files_can_play_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "gtp-variants").write_text("in the way", encoding="utf-8")
    peer = engine(None, tmp_path, SPEC)
    assert peer.send("aleago-draw").startswith("b ")
    peer.close()
