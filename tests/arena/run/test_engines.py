"""Programs as players, run as real processes, most of them with faults."""

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import ProgramConfig, TimeLimits
from gtp_variants.arena.run import engines
from gtp_variants.arena.run.referee import Referee, RefereeVerdict
from gtp_variants.gtp.client.peer import Peer
from gtp_variants.players import bots
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.dice_stream import DiceStream
from tests.arena.faulty import ENGINE, end_patience_at_half_answers
from tests.gtp.processes import is_gone_soon

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups are those of POSIX")

PATIENT = TimeLimits(startup_s=60, command_s=60)
# Limits for answers that never come.
SHORT = TimeLimits(startup_s=60, command_s=0.5)


class Setting:
    """A folder for programs, and a file with their process ids."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pids = folder / "pids"
        self.pids.touch()
        (folder / "engine.py").write_text(ENGINE, encoding="utf-8")

    def config(self, fault: str, **settings: Any) -> ProgramConfig:
        """Return a program with a fault, and with deadlines that suit a busy machine."""
        command = (sys.executable, str(self.folder / "engine.py"), fault, str(self.pids))
        return ProgramConfig("prog", command, **{"limits": PATIENT, **settings})

    def player(self, config: ProgramConfig, game: str = "g1") -> Player:
        return engines.make_program(config, self.folder / game, game, "seed")

    def all_gone(self) -> bool:
        """Return True if at least one process was noted and all noted processes have ended."""
        pids = [int(line) for line in self.pids.read_text().split()]
        return bool(pids) and all(is_gone_soon(pid) for pid in pids)


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


def game(black: Player, white: Player, spec: str = "go:size=5", limit: int = 12) -> RefereeVerdict:
    """Play a short game with a move limit; return the verdict."""
    table = Table(parse(spec), lambda: DiceStream("test"))
    settings = GameSettings(parse(spec).spec, limit, "score" if table.rules.is_scored else "void")
    return Referee(table, {BLACK: black, WHITE: white}, {BLACK: "one", WHITE: "two"}, settings).run()


FAULTS = {
    "exit": ("crash", "exit status 3"),
    "abort": ("crash", "SIGABRT"),
    "hang": ("hang", "not answered in time"),
    "garbage": ("protocol", "'hello"),
    "late": ("hang", "not answered in time"),
    "half and ends": ("crash", "so far it said '= A'"),
    "half and hangs": ("hang", "so far it said '= A'"),
    "flood of stdout": ("protocol", "expected a GTP answer"),
    "flood of an answer": ("protocol", "over 16777216 bytes"),
    "100 kB": ("protocol", "expected a vertex, pass or resign"),
    "100 MB": ("protocol", "over 16777216 bytes"),
    "clings": ("hang", "not answered in time"),
    "forks and exits": ("crash", "exit status 0"),
    "closes stdout": ("crash", "it ended before it answered"),
    "closes stdin": ("hang", "not answered in time"),
    "binary": ("protocol", "expected a GTP answer"),
    "refuses genmove": ("protocol", "was refused: cannot"),
    "refuses play": ("protocol", "it refused"),
    "occupied": ("illegal", "(occupied)"),
    "off the board": ("illegal", "chose Z9: (off board)"),
    "is killed": ("killed", "(signal SIGKILL)"),
    "other id": ("protocol", "and answered with 99"),
    "wrong colour": ("protocol", "expected a vertex, pass or resign"),
    "empty": ("protocol", "got ''"),
    "twice": ("protocol", "without being asked"),
    "no vertex": ("protocol", "got 'I9'"),
    "tells of itself": ("protocol", "without being asked"),
    "not GTP": ("protocol", "'Welcome to my engine"),
}


# Always test two faults of each kind; the others are slow tests.
QUICK = ("exit", "abort", "hang", "late", "garbage", "refuses genmove", "occupied", "off the board")


@pytest.mark.parametrize(
    ("fault", "as_black"),
    [
        *(pytest.param(fault, True, marks=() if fault in QUICK else pytest.mark.slow) for fault in FAULTS),
        *(("exit", False), ("occupied", False)),
    ],
)
def test_fault_of_a_program_is_classified_and_leaves_no_process(
    setting: Setting, monkeypatch: pytest.MonkeyPatch, fault: str, as_black: bool
) -> None:
    kind, why = FAULTS[fault]
    if fault == "half and hangs":
        end_patience_at_half_answers(monkeypatch)
    limits = SHORT if kind == "hang" and fault != "half and hangs" else PATIENT
    ours, other = setting.player(setting.config(fault, limits=limits)), bots.load("uniform")
    verdict = game(ours, other) if as_black else game(other, ours)
    if kind == "killed":
        # Somebody else must have killed it.
        assert (verdict.kind, verdict.outcome) == ("void", None)
    else:
        assert verdict.kind == "forfeit"
        assert verdict.outcome is not None
        assert verdict.outcome.winner == (WHITE if as_black else BLACK)
    assert [(failure.colour, failure.kind) for failure in verdict.failures] == [(BLACK if as_black else WHITE, kind)]
    assert why in verdict.why
    assert setting.all_gone()


@pytest.mark.slow
def test_flooding_program_forfeits_by_hang_or_protocol(setting: Setting) -> None:
    """Endless meaningless bytes exceed the deadline or the maximum length of an answer, whichever comes first."""
    verdict = game(setting.player(setting.config("flood of nothing", limits=SHORT)), bots.load("uniform"))
    assert [failure.kind for failure in verdict.failures] in (["hang"], ["protocol"])
    assert setting.all_gone()


def test_silent_program_forfeits_by_hang_after_the_startup_deadline(setting: Setting) -> None:
    config = setting.config("silent from the start", limits=TimeLimits(startup_s=2, command_s=60))
    verdict = game(setting.player(config), bots.load("uniform"))
    assert [failure.kind for failure in verdict.failures] == ["hang"]
    assert "'protocol_version' was not answered in time" in verdict.why
    assert setting.all_gone()


def test_no_player_is_to_blame_when_a_log_cannot_be_written(setting: Setting) -> None:
    (setting.folder / "g1").write_text("no folder")
    verdict = game(setting.player(setting.config("none")), bots.load("uniform"))
    assert verdict.failures == ()
    assert setting.all_gone()


def test_program_that_cannot_be_started_forfeits_by_crash(setting: Setting) -> None:
    verdict = game(setting.player(ProgramConfig("prog", ("/no/such/program",))), bots.load("uniform"))
    assert [failure.kind for failure in verdict.failures] == ["crash"]
    assert "cannot start" in verdict.why


def test_program_forfeits_by_time_when_it_exceeds_its_clock(setting: Setting) -> None:
    control = TimeControl("absolute", 0.3)
    player = setting.player(setting.config("slow", limits=TimeLimits(control, margin_s=0.05, command_s=60)))
    table = Table(parse("go:size=5"), lambda: DiceStream("test"))
    seats = {BLACK: player, WHITE: bots.load("uniform")}
    referee = Referee(table, seats, {BLACK: "1", WHITE: "2"}, GameSettings("go:size=5", 12))
    from gtp_variants.players.clock import Clock

    table.clocks[BLACK] = Clock.full(control)
    verdict = referee.run()
    assert [failure.kind for failure in verdict.failures] == ["time"]
    assert setting.all_gone()


@pytest.mark.parametrize("fault", ["none", "NUL bytes", "flood of stderr", "long name"])
def test_harmless_oddities_are_no_faults(setting: Setting, fault: str) -> None:
    verdict = game(setting.player(setting.config(fault)), bots.load("uniform"))
    assert (verdict.kind, verdict.failures) == ("adjudicated", ())
    assert setting.all_gone()
    talk = (setting.folder / "g1" / "prog-b.gtp").read_text(encoding="utf-8")
    assert "> genmove b" in talk
    errors = setting.folder / "g1" / "prog-b.stderr"
    assert errors.exists() == (fault == "flood of stderr")
    assert not errors.exists() or errors.stat().st_size < 2_000_000


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("hangs in quit", "did not end within 2 s when it was told to quit"),
        pytest.param("crashes in quit", "ended with signal SIGABRT when it was told to quit", marks=pytest.mark.slow),
    ],
)
def test_program_that_does_not_quit_is_reported_and_waited_for_once(setting: Setting, fault: str, why: str) -> None:
    config = setting.config(fault)
    took = []
    for _ in range(2):
        verdict = game(setting.player(config), bots.load("uniform"))
        assert verdict.kind == "adjudicated"
        assert [(failure.colour, failure.kind) for failure in verdict.failures] == [(BLACK, "quit")]
        took.append(verdict.failures[0].why)
    assert why in took[0]
    assert took[1] == took[0].replace("2 s", "0.2 s")
    assert setting.all_gone()


# -- from game to game -------------------------------------------------------------------------------------------------


def play_three(setting: Setting, config: ProgramConfig) -> list[RefereeVerdict]:
    try:
        return [game(setting.player(config, f"g{number}"), bots.load("uniform")) for number in (1, 2, 3)]
    finally:
        engines.end_all()


def test_program_that_was_slow_to_quit_once_has_its_full_time_again(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    # End the programs that earlier tests have kept, because they would be closed here, too.
    engines.end_all()
    graces: list[float | None] = []
    ways = iter(["did not end", "", ""])

    def close(peer: Peer, failure: object, grace_s: float | None) -> str:
        graces.append(grace_s)
        end(peer)
        return next(ways)

    end = Peer.close
    monkeypatch.setattr(Peer, "close", close)
    kinds = [[failure.kind for failure in verdict.failures] for verdict in play_three(setting, setting.config("none"))]
    assert (kinds, graces) == ([["quit"], [], []], [None, 0.2, None])


@pytest.mark.parametrize(("restart", "processes"), [("game", 3), ("never", 1), ("on-failure", 1)])
def test_program_is_kept_as_configured(setting: Setting, restart: str, processes: int) -> None:
    verdicts = play_three(setting, setting.config("none", restart=restart, limits=TimeLimits()))
    # A process that is kept continues with its next free point and so never repeats a point.
    assert [verdict.failures for verdict in verdicts] == [(), (), ()]
    assert len(setting.pids.read_text().split()) == processes
    assert setting.all_gone()
    for number in (1, 2, 3):
        assert "> clear_board" in (setting.folder / f"g{number}" / "prog-b.gtp").read_text(encoding="utf-8")


@pytest.mark.parametrize(("restart", "processes"), [("game", 3), ("never", 1), ("on-failure", 3)])
def test_failed_program_is_restarted_or_not_as_configured(setting: Setting, restart: str, processes: int) -> None:
    verdicts = play_three(setting, setting.config("exit", restart=restart))
    assert [[failure.kind for failure in verdict.failures] for verdict in verdicts] == [["crash"]] * 3
    assert len(setting.pids.read_text().split()) == processes
    assert ("not started again" in verdicts[2].why) == (restart == "never")


def test_command_is_filled_in_and_startup_commands_are_sent(setting: Setting) -> None:
    places = ("x{seed}", "{game}", "{slot}-{other}")
    config = setting.config(
        "none", startup=("komi 1", "name"), env={"A": "b"}, threads=3, slot=4, aliases={"name": "komi"}
    )
    config = ProgramConfig(
        **{**{name: getattr(config, name) for name in config.__slots__}, "command": (*config.command, *places)}
    )
    launch = engines.launch(config, Path("logs"), "a-b/0007b", "seed")
    assert launch.environment == {"GTP_VARIANTS_CORES": "3", "A": "b"}
    found = launch.command[-3:]
    assert found[1:] == ("a-b/0007b", "4-{other}")
    assert found[0][1:].isdigit()
    assert 0 <= int(found[0][1:]) < 2**31
    assert game(setting.player(config), bots.load("uniform")).failures == ()
    talk = (setting.folder / "g1" / "prog-b.gtp").read_text(encoding="utf-8")
    assert talk.index("> komi 1\n") < talk.index("> boardsize 5\n")
    assert "> name\n" not in talk


def test_unknown_game_is_rejected_with_the_programs_reason(setting: Setting) -> None:
    for spec in ("rosette:n=3", "phantom:size=5", "pentalath", "alter-igo:width=5,height=4"):
        began = time.monotonic()
        verdict = game(setting.player(setting.config("none")), bots.load("uniform"), spec)
        assert [failure.kind for failure in verdict.failures] == ["protocol"], spec
        assert "variant-set" in verdict.why
        assert time.monotonic() - began < 60
    assert setting.all_gone()
