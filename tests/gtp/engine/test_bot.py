"""The bot behind the engine: its parameters, its thinking on the others' time, what the engine says of it first."""

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from gtp_variants.ai.backend import announcement, search_backend
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.levels import level_of
from gtp_variants.players.player import Seat
from gtp_variants.rules import parse
from gtp_variants.rules.games.phantom import PhantomRules
from gtp_variants.rules.views import View
from tests.gtp.talk import Talk
from tests.support.programs import run

# -- parameters --------------------------------------------------------------------------------------------------------


def parameters(talk: Talk) -> dict[str, str]:
    """Return the parameters that `bot-param` lists."""
    lines = (line.split(" ", 2) for line in talk("bot-param").split("\n"))
    return {key: value for kind, key, value in lines if kind in ("[bool]", "[string]")}


def test_parameters_are_listed_as_gogui_reads_them() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=50,ponder=true")
    listed = talk("bot-param").split("\n")
    assert {"[bool] ponder 1", "[bool] resign 1", "[string] playouts 50", "[string] level none"} <= set(listed)
    assert all(re.fullmatch(r"\[(bool|string)\] \w+ \S+", line) for line in listed)
    assert Talk("go:size=5", bot="greedy")("bot-param") == ""


def test_a_parameter_that_is_set_holds_from_the_next_move_on_and_in_new_games() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=50,stop_early=false")
    talk.does("genmove b/bot-param playouts 70/bot-param resign 0/genmove w")
    assert " of 70 playouts" in talk("gomill-explain_last_move")
    talk.does("clear_board/genmove b")
    assert " of 70 playouts" in talk("gomill-explain_last_move")
    assert parameters(talk)["resign"] == "0"
    # As GoGui's dialog says it, and as people do; elsewhere 0 and 1 are numbers.
    for word, shown in (("1", "1"), ("false", "0"), ("true", "1"), ("0", "0")):
        talk(f"bot-param resign {word}")
        assert parameters(talk)["resign"] == shown
    talk("bot-param playouts 1")
    assert parameters(talk)["playouts"] == "1"
    talk.does("bot-param playouts none/bot-param level 7/bot-param slips 0/bot-param net none")
    assert parameters(talk)["playouts"] == "none"
    talk.does("clear_board/genmove b")
    assert f" of {level_of(parse('go:size=5'), 7).playouts} playouts" in talk("gomill-explain_last_move")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("playouts -1", "playouts=-1: expected 0 or more"),
        ("playouts many", "syntax error: playouts=many: expected a whole number"),
        ("memory_mb 0", "memory_mb=0.0: expected 1 or more"),
        ("level 11", "level=11: expected 1 to 10"),
        ("ponder 2", "syntax error: ponder=2: expected true or false"),
        ("strength 3", "syntax error: unknown parameter 'strength' of bot Mcts"),
        ("playouts", "syntax error: "),
    ],
)
def test_a_wrong_parameter_changes_nothing(line: str, why: str) -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=50")
    before = parameters(talk)
    assert talk.fails(f"bot-param {line}").startswith(why)
    assert parameters(talk) == before
    assert talk("genmove b") != "resign"


def test_parameters_of_one_bot_do_not_trouble_another() -> None:
    talk = Talk("go:size=5", bot="")
    talk.does("bot-param playouts 40/variant-set phantom:size=5")
    assert talk("genmove b")
    talk("variant-set go:size=5")
    assert parameters(talk)["playouts"] == "40"


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("mcts:playouts=-3", b"playouts=-3: expected 0 or more"),
        ("mcts:memory_mb=0", b"memory_mb=0.0: expected 1 or more"),
        ("mcts:levels=3", b"unknown parameter 'levels' of bot Mcts, known: level "),
    ],
)
def test_a_wrong_parameter_ends_the_start(bot: str, why: bytes) -> None:
    done = run("gtp", "go", "--bot", bot, sent=b"name\n")
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr


# -- the others' time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", ["native", "python"])
@pytest.mark.parametrize("last", [b"quit\n", b"", b"undo\nquit\n", b"clear_board\nquit\n", b"variant-set rosette\n"])
def test_the_process_ends_at_once_while_it_thinks(last: bytes, chosen: str) -> None:
    if chosen == "native" and search_backend() != "native":
        pytest.skip("the native kernel was not built")
    begun = time.monotonic()
    done = run(
        "gtp",
        "go:size=5",
        "--bot",
        "mcts:playouts=20,ponder=true",
        GTP_VARIANTS_FORM=chosen,
        sent=b"genmove b\n" + last,
    )
    assert done.returncode == 0
    assert done.stderr.count(b"\n") == 1
    assert time.monotonic() - begun < 120


def test_it_thinks_from_its_move_to_the_next_command_that_moves() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=20,ponder=true,resign=false")
    for _ in range(3):
        talk.does("genmove b/showboard/time_left b 10 0")
        # The other's move, one that is refused, one that is taken back.
        talk.fails("play w Z9")
        talk(f"play w {talk('variant-legal_moves w').split()[0]}")
    talk("undo")
    assert not talk.session.table.seats
    assert talk("genmove w") != "resign"


@pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")
def test_stop_ends_what_is_thought_on_the_others_time() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=20,ponder=true,resign=false")
    assert talk("stop") == ""
    talk("genmove b")
    (player,) = talk.session.table.seats.values()
    thinker = vars(player)["_thinker"]
    assert thinker.is_pondering
    assert talk("stop") == ""
    assert not thinker.is_pondering
    talk.does("play w pass/genmove b")
    assert thinker.is_pondering
    talk("stop")


# -- the first line ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_first_line_says_which_form_runs() -> None:
    first = run("gtp", "go", GTP_VARIANTS_FORM="python").stderr.splitlines()[0].decode()
    assert re.fullmatch(r"gtp-variants \S+: python search, 1 thread", first)
    for options, cores in ((("--bot", "mcts:threads=3"), "2"), ((), "3"), (("--bot", "greedy"), "3")):
        threads = run("gtp", "go", *options, GTP_VARIANTS_CORES=cores).stderr.splitlines()[0].decode()
        assert threads == announcement(3)
        assert threads.endswith("3 threads" if search_backend() == "native" else "1 thread")
    wrong = run("gtp", "go", GTP_VARIANTS_CORES="all")
    assert wrong.returncode == 2
    assert b"GTP_VARIANTS_CORES=all: expected a whole number, 1 to 1024" in wrong.stderr


def test_without_the_kernel_the_engine_says_what_it_does_not_know() -> None:
    described = run("gtp", "go", sent=b"gomill-describe_engine\n", GTP_VARIANTS_FORM="python").stdout.decode()
    assert "plain search, without the replies, shapes, priors and proofs of the kernel" in described


def test_a_form_that_is_unknown_ends_the_start() -> None:
    done = run("gtp", "go", GTP_VARIANTS_FORM="cobol", sent=b"name\n")
    assert done.returncode == 2
    assert b"expected native or python" in done.stderr


def test_looking_for_the_kernel_does_not_load_it() -> None:
    code = (
        "import sys; from gtp_variants.ai.backend import announcement; announcement(); "
        "print([name for name in sys.modules if '_kernel' in name or 'playout' in name])"
    )
    environment = {key: value for key, value in os.environ.items() if key != "GTP_VARIANTS_FORM"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("line", ["genmove b", "reg_genmove b", "lz-genmove_analyze b", "cgos-genmove_analyze b"])
@pytest.mark.parametrize("setup", ["clear_board", "phantom-seat b"])
def test_a_bot_that_cannot_play_a_game_leaves_it_to_one_that_can(
    line: str, setup: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PhantomRules, "profile", replace(PhantomRules.profile, default_bot="greedy"))
    talk = Talk("phantom:size=5", bot="mcts:playouts=30")
    talk(setup)
    free = talk("variant-legal_moves b").split()
    assert talk(line).split()[-1] in free
    warned = [said for said in capsys.readouterr().err.splitlines() if said.startswith("warning: ")]
    assert len(warned) == 1
    assert "mcts:playouts=30 cannot play Go Fantôme" in warned[0]
    # It is seated for the whole game.
    if not line.startswith("reg") and setup == "clear_board":
        talk("genmove b")
        assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize("setup", ["clear_board", "phantom-seat b"])
def test_the_substitute_player_has_the_same_settings(setup: str, capsys: pytest.CaptureFixture[str]) -> None:
    talk = Talk("phantom:size=5", bot="mcts:playouts=30,net=none,exploration=0.5")
    talk("kata-set-param ponder true")
    talk(setup)
    assert talk("genmove b") != "resign"
    (warned,) = [said for said in capsys.readouterr().err.splitlines() if said.startswith("warning: ")]
    assert warned.endswith("phantom plays, without ponder, exploration")
    (player,) = talk.session.play.players
    assert (type(player).__name__, bots.parameters(player)["net"], bots.parameters(player)["playouts"]) == (
        "Phantom",
        "none",
        30,
    )
    # What it does not know is kept for games that the bot itself plays.
    talk("kata-set-param ponder false")
    talk("kata-set-param playouts 40")
    assert bots.parameters(player)["playouts"] == 40


# -- time --------------------------------------------------------------------------------------------------------------


class _Slow(Seat):
    """Tries one point after the other, and takes its time for each; `left` is what it was shown of its clock."""

    def __init__(self) -> None:
        self.left: list[float] = []

    def choose(self, view: View, clock: Clock) -> int:
        self.left.append(clock.left_s)
        time.sleep(0.02)
        return self.points(view)[0]


def test_the_tries_of_a_turn_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """gtp.md 3: "a bot never loses on time by itself", also where a referee refuses what it tries."""
    talk, slow = Talk("phantom:size=5"), _Slow()
    monkeypatch.setattr(talk.session.bot, "make_player", lambda: slow)
    for vertex in ("A1", "B1", "C1"):
        talk(f"play w {vertex}")
    talk.does("kgs-time_settings byoyomi 0 1 1/time_left b 1 1/genmove b")
    assert len(slow.left) == 4
    assert all(later <= left - 0.02 for left, later in pairwise(slow.left))


def test_a_game_that_was_loaded_first_has_clocks(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[5];B[cc];W[];B[])", encoding="utf-8")
    talk = Talk("go:size=5", bot="greedy")
    talk(f"loadsgf {file}")
    talk("kgs-genmove_cleanup w")


def test_explanation_is_of_a_move_that_is_still_in_the_game() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=30,resign=false")
    assert talk("gomill-explain_last_move") == ""
    talk("genmove b")
    reason = talk("gomill-explain_last_move")
    assert " playouts, value " in reason
    # Thinking about another move does not change why the last one was made.
    talk("reg_genmove w")
    assert talk("gomill-explain_last_move") == reason
    talk(f"play w {talk.state()['legal'][0]}")
    assert talk("gomill-explain_last_move") == f"the bot's move before this one: {reason}"
    assert "".join(talk("show-explanation").split()) == f"the bot's move before this one: {reason}".replace(" ", "")
    talk("undo")
    assert talk("gomill-explain_last_move") == reason
    talk("undo")
    assert talk("gomill-explain_last_move") == talk("show-explanation") == ""
    talk.does("genmove b/clear_board")
    assert talk("gomill-explain_last_move") == ""


def test_explanation_is_shown_although_a_draw_follows_the_move() -> None:
    talk = Talk("aleago:size=5,dice=1d4", bot="mcts:playouts=30", seed="1")
    talk(f"genmove {talk.state()['to_play']}")
    assert " playouts, value " in talk("gomill-explain_last_move")
