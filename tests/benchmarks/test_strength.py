"""Series that measure strength: tiny ones, run, broken off and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gtp_variants as gv
from benchmarks.strength.matches.game import OPENING_PLIES, Fixture, GameFailed, Played, load, openings, play
from benchmarks.strength.matches.gnugo import GnuGo
from benchmarks.strength.matches.program import main
from benchmarks.strength.matches.results import Results, score, table, verdict
from benchmarks.strength.matches.run import fixtures
from benchmarks.strength.matches.series import GAMES, LEVELS, LOWEST, SERIES, STEP, Series, counted, steps, timed
from gtp_variants.ai import backend
from gtp_variants.errors import ConfigError, RecordError
from gtp_variants.players import bots

ROOT = Path(__file__).resolve().parents[2]
MATCH = ["--unequal", "--match", "go:size=5", "mcts:playouts=20,seconds=0", "uniform"]
TINY = Series("tiny", MATCH[2], MATCH[3], MATCH[4], aim=(0.60, 0.75))
SLOW = ["--unequal", "--match", "go:size=5", "mcts:playouts=2000,seconds=0", "uniform"]

# Answers like GNU Go, but its first move is always on the first stone of the opening.
FAKE = """
import sys
for line in sys.stdin:
    word = line.split()
    print(line.strip(), file=open(sys.argv[1], "a"))
    answers = {"genmove": sys.argv[2], "restricted_genmove": word[-1], "list_commands": "\\n".join(sys.argv[3:])}
    sign = "=" if word[0] not in ("set_random_seed", "restricted_genmove") or word[0] in sys.argv else "?"
    print(sign, answers.get(word[0], ""), end="\\n\\n", flush=True)
"""


def game(number: int, score: float = 1.0, **changes: object) -> Played:
    """A made-up game of the series TINY."""
    pair, leg = number // 2 + 1, "ab"[number % 2]
    facts = [score, "B+1.5", "score", 10, (5, 5), (100, 0), (0.5, 0.1), 0.6, 0, "C3 B2", "12345678"]
    made = Played("tiny", "settings", pair, leg, *facts)  # type: ignore[arg-type]
    return Played.from_json(json.dumps({**json.loads(made.to_json()), **changes}))


def games(wins: int, draws: int, losses: int) -> list[Played]:
    return [game(number, each) for number, each in enumerate([1.0] * wins + [0.5] * draws + [0.0] * losses)]


# -- what is said of games ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "expected"),
    [
        (49, 0, 11, (81.7, 70.1, 89.4)),
        (54, 0, 6, (90.0, 79.9, 95.3)),
        (60, 0, 0, (100.0, 94.0, 100.0)),
        (40, 0, 20, (66.7, 54.1, 77.3)),
        (30, 20, 10, (66.7, 54.1, 77.3)),
        (0, 0, 10, (0.0, 0.0, 27.8)),
        (0, 1, 0, (50.0, 5.5, 94.5)),
    ],
)
def test_a_score_has_wilsons_interval(wins: int, draws: int, losses: int, expected: tuple[float, float, float]) -> None:
    assert tuple(round(100 * share, 1) for share in score(games(wins, draws, losses))) == expected


@pytest.mark.parametrize(
    ("wins", "losses", "word"),
    [(65, 35, "reached"), (95, 5, "too high"), (80, 20, "too high?"), (10, 90, "too low"), (55, 45, "too low?")],
)
def test_an_aim_is_missed_for_sure_or_perhaps(wins: int, losses: int, word: str) -> None:
    assert verdict(TINY, games(wins, 0, losses)) == word


def test_the_table_shows_colours_and_time_per_move() -> None:
    rows = table([(TINY, games(3, 1, 2)), (SERIES[0], [])]).splitlines()
    assert len(rows) == 3
    cells = [cell.strip() for cell in rows[2].strip("|").split("|")]
    assert cells[:4] == ["tiny", "6", "58.3%", "24.1% to 86.1%"]
    assert cells[4:] == ["60% to 75%: too low?", "2/0/1", "1/1/1", "10", "20 : 0", "0.1 : 0.02", "0.6"]


def test_the_table_warns_of_biased_figures() -> None:
    strange = [game(0), game(1, build="87654321"), game(2, how="adjudicated"), game(3, refused=2)]
    notes = table([(TINY, strange)])
    assert "different versions of the code: 12345678 87654321" in notes
    assert "1 games were stopped at the move limit" in notes
    assert "2 moves of GNU Go were forbidden" in notes


def test_a_score_is_refused_if_one_side_thinks_over_a_tenth_longer() -> None:
    fair = replace(TINY, equal_time=True)
    equal, unequal = game(0, seconds=[0.50, 0.46]), game(0, seconds=[0.50, 0.45])
    assert verdict(fair, [equal]) == "too high?"
    assert verdict(fair, [unequal]) == "refused"
    assert "refused, as the sides took 0.1 and 0.09 s a move" in table([(fair, [unequal])])
    assert "100.0%" not in table([(fair, [unequal])])
    assert "100.0%" in table([(TINY, [unequal])])


# -- the series and their games ----------------------------------------------------------------------------------------


def test_series_have_names_of_their_own_and_games_that_exist() -> None:
    everything = [*SERIES, *steps({1: "playouts=1", 2: "playouts=2"})]
    assert len({series.name for series in everything}) == len(everything)
    for series in everything:
        first: Any = bots.load(series.first)
        assert first.plays_hidden or gv.parse(series.spec).is_open


def test_levels_meet_their_neighbours() -> None:
    found = [series for series in steps({2: "playouts=9", 1: "playouts=3"}) if series.spec == GAMES["go9"]]
    assert [series.name for series in found] == ["go9-level1-greedy", "go9-level2-1"]
    assert [(series.first, series.second) for series in found] == [
        ("mcts:playouts=3,resign=false", "greedy"),
        ("mcts:playouts=9,resign=false", "mcts:playouts=3,resign=false"),
    ]
    assert [series.aim for series in found] == [LOWEST, STEP]


@pytest.mark.parametrize("spec", sorted({series.spec for series in SERIES}))
def test_fifty_openings_differ(spec: str) -> None:
    rules = gv.parse(spec)
    found = openings(rules.spec, "seed", 50)
    assert len(set(found)) == 50
    assert found[:7] == openings(rules.spec, "seed", 7)
    assert found != openings(rules.spec, "other", 50)
    assert {len(opening) for opening in found} == {OPENING_PLIES}


def test_openings_of_go_keep_off_the_first_two_lines() -> None:
    rules = gv.parse(GAMES["go9"])
    assert {rules.board.rings[point] for opening in openings(rules.spec, "1", 50) for point in opening} >= {3, 4}
    assert min(rules.board.rings[point] for opening in openings(rules.spec, "1", 50) for point in opening) == 3


def test_small_boards_repeat_openings_at_last() -> None:
    assert len(set(openings(gv.parse("go:size=2").spec, "seed", 20))) == 12


def test_seconds_are_the_processors_unless_asked() -> None:
    series = Series("one", GAMES["go9"], timed(0.1), counted(100))
    ours, wall = Fixture(series, 1, "a", "s"), Fixture(series, 1, "a", "s", wall=True)
    assert ours.bots == (timed(0.1) + ",cpu_time=true", counted(100))
    assert wall.bots == (timed(0.1), counted(100))
    assert ours.settings != wall.settings
    counts = Series("two", GAMES["go9"], counted(1000), counted(100))
    assert Fixture(counts, 1, "a", "s").settings == Fixture(counts, 1, "a", "s", wall=True).settings


def test_a_game_can_be_played_again_and_changes_colours() -> None:
    black, white = (play(Fixture(TINY, 3, leg, "seed")) for leg in "ab")
    again = play(Fixture(TINY, 3, "a", "seed"))
    assert (again.result, again.plies, again.playouts) == (black.result, black.plies, black.playouts)
    assert black.opening == white.opening
    assert black.score == (black.result[0] == "B")
    assert white.score == (white.result[0] == "W")
    assert 0 < black.playouts[0] <= 20 * black.moves[0]
    assert black.playouts[1] == 0
    assert Played.from_json(black.to_json()) == black


# -- the file ----------------------------------------------------------------------------------------------------------


def test_a_truncated_line_is_rewritten(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "r.jsonl"
    for number in range(3):
        Results(file).add(game(number))
    whole = file.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for cut in range(1, len(last)):
        file.write_bytes(whole[:-cut])
        results = Results(file)
        assert len(results.games) == 2
        results.add(game(2))
        assert file.read_bytes() == whole


def test_a_duplicate_game_counts_once(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(game(0, 1.0).to_json() + "\n" + game(0, 0.0).to_json() + "\n")
    assert [each.score for each in Results(file).of(TINY, "settings")] == [1.0]
    assert Results(file).of(TINY, "other") == []


@pytest.mark.parametrize("line", ["nonsense", "{}", "[]", '{"series": "tiny"}', ""])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(f"{game(0).to_json()}\n{line}\n{game(1).to_json()}\n")
    with pytest.raises(RecordError, match=r"r\.jsonl, line 2: not a game"):
        Results(file)


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_series_continues_after_a_cut(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.jsonl"
    command = [*MATCH, "--games", "4", "--into", str(file), "-j", "2"]
    assert main(command) == 0
    before = capfd.readouterr().out
    assert before.count("uniform at go:size=5 0") == 4
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines)[:-20])
    assert main(command) == 0
    after, faults = capfd.readouterr()
    assert after.count("uniform at go:size=5 0") == 1
    assert faults == ""
    counted_again = [{**json.loads(line), "seconds": 0, "wall_s": 0} for line in file.read_text().splitlines()]
    assert counted_again == [{**json.loads(line), "seconds": 0, "wall_s": 0} for line in lines]
    assert main([*command, "--report"]) == 0
    mean, low, high = score(list(Results(file).games.values()))
    assert f"| 4     | {mean:.1%} " in capfd.readouterr().out
    assert low < mean <= high


def running(file: Path) -> "subprocess.Popen[str]":
    """The command as a process that plays for a while."""
    command = [sys.executable, "-m", "benchmarks.strength.matches", *SLOW, "--into", str(file), "-j", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert "plies" in process.stdout.readline()
    return process


def ps(what: str, *which: str) -> list[str]:
    return subprocess.run(["ps", "-o", f"{what}=", *which], capture_output=True, text=True, check=False).stdout.split()


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("ps") is None, reason="looks for processes with Linux's ps")
def test_a_killed_run_leaves_whole_lines_and_no_process(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    process = running(file)
    workers = ps("pid", "--ppid", f"{process.pid}")
    assert len(workers) >= 2
    process.kill()
    process.communicate(timeout=60)
    kept = len(Results(file).games)
    assert kept >= 1
    deadline = time.monotonic() + 60
    # An orphan that has ended may wait to be buried, as a zombie.
    while any(not state.startswith("Z") for state in ps("stat", "-p", ",".join(workers))):
        assert time.monotonic() < deadline, "a process goes on without the run"
        time.sleep(0.05)


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="there is no Ctrl-C to send to a process of its own")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_in_peace(tmp_path: Path, ending: signal.Signals) -> None:
    process = running(tmp_path / "r.jsonl")
    process.send_signal(ending)
    said, faults = process.communicate(timeout=60)
    assert process.returncode == 130
    assert faults == "interrupted; the same command goes on\n"
    assert "| series" in said


@pytest.mark.slow
def test_a_game_that_fails_counts_for_nobody(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text("import gtp_variants as gv\nclass Bad(gv.Seat):\n    def choose(self, view, clock): 1 / 0\n")
    file = tmp_path / "r.jsonl"
    assert main(["--match", "go:size=5", str(bot), "uniform", "--games", "2", "--into", str(file)]) == 1
    said, faults = capfd.readouterr()
    assert faults.count("FAILED") == 2
    assert "ZeroDivisionError" in faults
    assert "no games yet" in said
    assert not file.exists()
    with pytest.raises(GameFailed, match="forfeit: in choose"):
        play(Fixture(Series("bad", "go:size=5", str(bot), "uniform"), 1, "a", "s"))


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["nothing-*"], "nothing-*: no such series"),
        (["--games", "0"], "--games 0"),
        (["-j", "0"], "--jobs 0"),
        (["--match", "chess", "uniform", "uniform"], "chess"),
        (["--match", "pentalath:players=3", "uniform", "uniform"], "expected a game for two"),
        (["--match", "go:size=5", "mcts:playout=1", "uniform"], "unknown parameter 'playout'"),
        (["--match", "go:size=5", "gnugo:no-such-program", "uniform"], "no-such-program: there is no such program"),
        (["--levels", "none.yaml"], "none.yaml"),
        (["--levels", "bad.yaml"], "expected lines such as"),
    ],
)
def test_a_wrong_word_gets_one_clear_error(
    arguments: list[str],
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text("one: playouts=2\n")
    assert main(arguments) == 2
    said, faults = capsys.readouterr()
    assert fault in faults
    assert said == ""


def test_without_the_kernel_its_series_are_not_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(backend, "search_backend", lambda: "python")
    assert main(["go9-10x200", "--into", str(tmp_path / "r.jsonl")]) == 2
    assert "native kernel" in capsys.readouterr().err


def test_levels_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "levels.yaml"
    file.write_text("1: playouts=30,seconds=0\n2: playouts=90,seconds=0\n")
    assert main(["go9-*", "--levels", str(file), "--list"]) == 0
    said = capsys.readouterr().out
    assert "go9-level2-1 " in said
    assert "mcts:playouts=90,seconds=0,resign=false\n" in said


# -- GNU Go ------------------------------------------------------------------------------------------------------------


def test_a_move_that_our_rules_forbid_is_chosen_again(tmp_path: Path) -> None:
    fake, log = tmp_path / "fake.py", tmp_path / "log"
    fake.write_text(FAKE)
    rules = gv.parse("go:size=5")
    taken = gv.Table(rules, gv.DiceStream)
    stone = rules.board.point("C3")
    taken.play(gv.BLACK, stone)
    player = GnuGo(f"{sys.executable} {fake} {log} C3 set_random_seed restricted_genmove")
    taken.seat(gv.WHITE, player, "ab" * 32)
    chosen = taken.choose(gv.WHITE)
    taken.play(gv.WHITE, chosen)
    player.leave(None)
    assert chosen != stone
    assert player.refused == 1
    said = log.read_text().splitlines()
    assert said[:4] == ["list_commands", "boardsize 5", "komi 7.5", "clear_board"]
    assert said[4:8] == ["set_random_seed 180009658", "play b C3", "genmove w", "undo"]
    assert said[8].startswith("restricted_genmove w A1 ")
    # What it chose at the second time of asking it has not played by itself.
    assert said[9] == f"play w {rules.board.vertex(chosen)}"


def test_a_program_does_not_receive_its_own_move(tmp_path: Path) -> None:
    fake, log = tmp_path / "fake.py", tmp_path / "log"
    fake.write_text(FAKE)
    rules = gv.parse("go:size=5")
    around = gv.Table(rules, gv.DiceStream)
    player = GnuGo(f"{sys.executable} {fake} {log} C3")
    around.seat(gv.BLACK, player, "ab" * 32)
    around.play(gv.BLACK, around.choose(gv.BLACK))
    around.play(gv.WHITE, gv.PASS)
    player.leave(None)
    assert log.read_text().splitlines()[4:6] == ["genmove b", "play w pass"]


def test_a_program_is_asked_for_no_command_that_it_lacks(tmp_path: Path) -> None:
    """Pachi has neither seeds nor a choice among some moves: where its move is forbidden it passes."""
    fake, log = tmp_path / "fake.py", tmp_path / "log"
    fake.write_text(FAKE)
    rules = gv.parse("go:size=5")
    for seconds, clock in ((0.0, []), (1.5, ["time_settings 0 1.5 1"])):
        taken = gv.Table(rules, gv.DiceStream)
        taken.play(gv.BLACK, rules.board.point("C3"))
        player = GnuGo(f"{sys.executable} {fake} {log} C3", seconds)
        taken.seat(gv.WHITE, player, "ab" * 32)
        assert taken.choose(gv.WHITE) == gv.PASS
        player.leave(None)
        said = log.read_text().splitlines()
        assert said[:5] == ["list_commands", "boardsize 5", "komi 7.5", "clear_board", *clock, "play b C3"][:5]
        assert not [line for line in said if line.startswith(("set_random_seed", "restricted_genmove"))]
        log.unlink()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_time_of_a_program_is_that_of_its_processes(tmp_path: Path) -> None:
    busy = tmp_path / "busy.py"
    burn = "import time; [0 for _ in iter(lambda: time.process_time() > 0.2, True)]"
    busy.write_text(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\n{burn}\n" + FAKE)
    player = GnuGo(f"{sys.executable} {busy} {tmp_path / 'log'} C3")
    player.sit(gv.parse("go:size=5"), gv.BLACK, "ab" * 32)
    assert player.processor_seconds() > 0.3
    player.leave(None)


@pytest.mark.slow
def test_a_program_that_knows_the_dice_receives_each_draw(tmp_path: Path) -> None:
    """Also for the stones of an opening, whose lines nobody threw."""
    spec, openings = "aleago:size=7,dice=1d4", tmp_path / "openings.txt"
    openings.write_text("D4 A1 C3\n")
    program = f"program:0:{sys.executable} -m gtp_variants gtp {spec} --bot uniform"
    series = Series("dice", spec, "uniform", program, openings=str(openings))
    for leg in ("a", "b"):
        assert play(Fixture(series, 1, leg, "s")).how == "score"


@pytest.mark.slow
def test_gnu_go_plays_a_series(tmp_path: Path) -> None:
    command = "gnugo:gnugo --mode gtp --level 0 --chinese-rules --capture-all-dead --never-resign"
    try:
        GnuGo(command.partition(":")[2])
    except ConfigError as error:
        pytest.skip(f"GNU Go is not installed: {error}")
    series = Series("gnugo", "go:size=5,komi=7.5", "greedy", command)
    for fixture in fixtures(series, 2, "seed", wall=False):
        played = play(fixture)
        assert played.how == "score"
        assert played.seconds[1] > 0


def test_the_blind_bot_knows_how_many_stones_are_hidden_and_nothing_else() -> None:
    game = gv.random_game(gv.parse("phantom:size=5"), 2, 30)
    view = game.rules.view(game.heard(gv.BLACK), gv.BLACK)
    bot: Any = load("blind:worlds=20,playouts=20")
    bot.sit(game.rules, gv.BLACK, "seed")
    searched = bot.think(view, gv.SearchLimits(playouts=20)).searched
    # Of positions that agree with the news, few as they are, some would come up more than once.
    assert [count for _, count in searched] == [1] * 20
    boards = [position.stones for position, _ in searched]
    assert len(set(boards)) > 1
    for stones in boards:
        assert stones.count(gv.WHITE) == view.hidden
        assert [there == gv.BLACK for there in stones] == [there == gv.BLACK for there in view.stones]
    assert bot.choose(view, gv.Clock()) in view.actions


def test_every_player_of_a_series_can_be_loaded() -> None:
    for series in [*SERIES, *steps(LEVELS)]:
        for bot in Fixture(series, 1, "a", "s").bots:
            if not bot.startswith("gnugo:"):
                load(bot)
