"""The program that `--as` names, read by each host as its own source reads it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gtp_variants.cli.engines import analysis, gtp
from gtp_variants.gtp.analysis.engine import AnalysisEngine
from gtp_variants.gtp.analysis.query import QueryDefaults
from gtp_variants.gtp.engine.engine_host import HostQuirks
from gtp_variants.gtp.identity import IDENTITIES, OURS
from tests.gtp.pipes import Process
from tests.gtp.talk import Talk
from tests.support.programs import run

GNUGO = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
STRONG = "mcts:playouts=200,seconds=0,net=none,resign=false,stop_early=false"
# Black owns everything: two walls and no white stone.
BLACK_WINS = "gogui-setup " + " ".join(f"b {column}{row}" for column in "BD" for row in range(1, 6))


def claiming(program: str, spec: str = "go:size=5,komi=0.5", bot: str = STRONG) -> Talk:
    return Talk(spec, bot=bot, quirks=HostQuirks(identity=IDENTITIES[program]))


# -- LizzieYzy ---------------------------------------------------------------------------------------------------------


class LizzieYzy:
    """LizzieYzy 2.5.3's view of an engine: it sends `name` and `version`, then analyses in KataGo's form or not."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.is_katago = talk("name").split()[0].lower().startswith("kata")
        first, second = map(int, talk("version").split()[0].split(".")[:2])
        self.is_too_old = not self.is_katago and second < 15
        self.has_moves_ownership = self.is_katago and (first > 1 or second > 10)

    def analyse(self, colour: str) -> tuple[dict[str, float], list[float]]:
        """Return the best move's numbers and the owner of each point, from Black's side if Black is to move."""
        command = "kata-analyze" if self.is_katago else "lz-analyze"
        answer = self.talk(f"{command} {colour} 10{' ownership true' if self.is_katago else ''}")
        line = [each for each in answer.split("\n") if each.startswith("info")][-1]
        moves, _, owners = line.partition(" ownership ")
        words = moves.split(" info ")[0].split()
        words = words[1 : words.index("pv")]
        scale = 100 if self.is_katago else 0.01
        found = dict(zip(words[::2], words[1::2], strict=True))
        numbers = {"winrate": scale * (float if self.is_katago else int)(found["winrate"])}
        if self.is_katago:
            numbers |= {key: float(found[key]) for key in ("scoreMean", "scoreStdev")}
        return numbers, [float(word) for word in owners.split()]


def test_lizzieyzy_shows_score_and_ownership_as_katago() -> None:
    talk = claiming("katago")
    talk(BLACK_WINS)
    lizzie = LizzieYzy(talk)
    assert lizzie.is_katago
    assert lizzie.has_moves_ownership
    for colour, sign in (("b", 1), ("w", -1)):
        talk(f"gogui-setup_player {colour}")
        numbers, owners = lizzie.analyse(colour)
        assert numbers["winrate"] > 90 if sign == 1 else numbers["winrate"] < 10
        assert 20 < sign * numbers["scoreMean"] <= 24.5
        assert len(owners) == 25
        assert 20 < sign * sum(owners) <= 25


def test_lizzieyzy_shows_no_score_otherwise_and_takes_leela_zero_without_a_warning() -> None:
    assert not LizzieYzy(claiming("gtp-variants")).is_katago
    talk = claiming("leela-zero")
    talk(BLACK_WINS)
    lizzie = LizzieYzy(talk)
    assert (lizzie.is_katago, lizzie.is_too_old) == (False, False)
    numbers, owners = lizzie.analyse("b")
    assert 90 < numbers["winrate"] <= 100
    assert not owners


# -- LizGoban ----------------------------------------------------------------------------------------------------------

# It sends nothing before one of these lines is on standard error, and knows the komi of engines of two names only.
LIZGOBAN_READY = re.compile(r"(Setting max tree size)|(GTP ready)|(feature weights loaded)")
LIZGOBAN_NAMES = ("Leela Zero", "KataGo")


@pytest.mark.parametrize(
    ("program", "parameters"),
    [
        ("katago", ["-override-config", "analysisPVLen=50, maxVisits=20", "-model", "m.bin.gz", "-config", "g.cfg"]),
        ("leela-zero", ["-g", "-w", "network.gz", "-v", "20", "--noponder", "-r", "5"]),
    ],
)
def test_lizgoban_hears_that_the_engine_is_ready(program: str, parameters: list[str], tmp_path: Path) -> None:
    engine = Process("--as", program, *parameters, log=tmp_path / "log")
    engine.send(b"1 name\n2 kata-get-param maxVisits\n3 variant-get\n")
    name, visits, spec = engine.answers(3)
    engine.close()
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert LIZGOBAN_READY.search(log)
    assert name.removeprefix("=1 ") in LIZGOBAN_NAMES
    assert visits == "=2 20"
    assert spec.startswith("=3 go:size=19,")
    no_effect = [line.split()[0] for line in log.splitlines() if "is a parameter of" in line]
    assert no_effect == [word for word in parameters if word in ("-model", "-config", "-g", "-w", "-r")]


# -- Ogatak ------------------------------------------------------------------------------------------------------------


def read_ogatak_version(text: str) -> list[int]:
    parts = text.split(".")
    return list(map(int, parts)) if len(parts) == 3 else [0, 0, 0]


def test_ogatak_finds_every_feature_that_depends_on_katagos_version() -> None:
    files = ("-config", __file__, "-model", __file__, "-quit-without-waiting")
    done = run("analysis", *files, sent=b'{"id":"query_version","action":"query_version"}\n')
    told = json.loads(done.stdout)
    assert read_ogatak_version(told["version"]) >= [1, 12, 0]
    assert read_ogatak_version(told["version"]) != [1, 9, 0]
    assert told["git_hash"] == f"gtp-variants {OURS.version}"
    assert b"ready to begin handling requests" in done.stderr
    plain: list[dict[str, object]] = []
    AnalysisEngine(plain.append, QueryDefaults()).take('{"id":"v","action":"query_version"}')
    assert plain[0]["version"] == OURS.version


# -- KaTrain -----------------------------------------------------------------------------------------------------------


def test_katrain_may_start_the_engine_as_its_own_katago(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-model", "m", "-human-model", "h", "-config", "c", "-override-config", "homeDataDir=/home/ann/.katrain"]
    options = analysis.parser().parse_args(words)
    assert options.identity == "katago"
    assert options.effects == ["kata-set-param homeDataDir /home/ann/.katrain"]
    told = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in told] == ["-model", "-human-model", "-config"]


# -- q5Go --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", IDENTITIES)
def test_q5go_reads_win_rate_and_score_whatever_the_name(program: str) -> None:
    talk = claiming(program)
    assert talk("known_command kata-analyze") == talk("known_command lz-analyze") == "true"
    talk(BLACK_WINS)
    line = [each for each in talk("kata-analyze b 10").split("\n") if each.startswith("info")][-1]
    best = line.split("info move ")[1]
    visits, winrate, mean, stdev = (
        re.search(rf"\s+{key}\s+([^\s]+)\s+", best) for key in ("visits", "winrate", "scoreMean", "scoreStdev")
    )
    assert visits
    assert winrate
    assert mean
    assert stdev
    assert 0.9 < float(winrate[1]) <= 1
    assert 20 < float(mean[1]) <= 24.5
    assert re.search(r"\s+pv\s+(.*)$", best)


# -- the identity and the game -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", IDENTITIES)
def test_nothing_in_a_session_changes_the_identity(program: str, tmp_path: Path) -> None:
    claimed = IDENTITIES[program]
    talk = claiming(program)
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[ee])", encoding="utf-8")
    for command in (
        "clear_board",
        "boardsize 7",
        f"loadsgf {file}",
        "variant-set aleago:size=9",
        "variant-set pentalath",
    ):
        talk(command)
        assert (talk("name"), talk("version")) == (claimed.name, claimed.version)
    assert talk("gomill-describe_engine").startswith(f"GTP Variants {OURS.version}\n")


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian: apt-get install gnugo)")
def test_scores_have_a_decimal_as_in_gnu_go() -> None:
    assert GNUGO is not None
    lines = b"boardsize 5\nkomi 0\nplay b C3\nplay w A1\nplay b A2\nplay b B1\nfinal_score\n"
    command = [GNUGO, "--mode", "gtp", "--chinese-rules"]
    gnugo = subprocess.run(command, input=lines, capture_output=True, check=True)
    last = gnugo.stdout.decode().split("\n\n")[-2]
    talk = claiming("gnugo", "go:size=5,komi=0", "greedy")
    talk.does("play b C3/play w A1/play b A2/play b B1")
    assert last.removeprefix("= ") == talk("final_score") == "B+25.0"
    assert claiming("katago").session.quirks.identity.write_score("W+7.5") == "W+7.5"
    assert [IDENTITIES["katago"].write_score(score) for score in ("0", "W+R", "B+12")] == ["0", "W+R", "B+12.0"]
    assert OURS.write_score("B+12") == "B+12"


# -- other programs' command lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", IDENTITIES)
def test_every_parameter_of_the_program_is_accepted(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    identity = IDENTITIES[program]
    for declared in (*identity.effects, *identity.ignored):
        for flag in (word for word in declared.split() if word[0] == "-"):
            value = [] if declared.split()[-1][0] == "-" else ["key=7" if "KEY" in declared else "7"]
            options = gtp.parser().parse_args(["--as", program, flag, *value])
            effect = identity.effects.get(declared)
            told = capsys.readouterr().err
            if effect:
                assert options.effects == [effect.format(*(("key", "=", "7") if "KEY" in declared else ("7",)))]
                assert not told
            else:
                assert told == f"{flag} is a parameter of {identity.name} and has no effect here\n"


def test_lists_of_settings_are_taken_apart_and_names_of_files_are_not() -> None:
    katago = gtp.parser().parse_args(["--as", "katago", "-override-config", "a=1, b=x=y", "-override-config", "c=2"])
    assert katago.effects == ["kata-set-param a 1", "kata-set-param b x=y", "kata-set-param c 2"]
    assert gtp.parser().parse_args(["--as", "gnugo", "-l", "a=b,c.sgf"]).effects == ["loadsgf a=b,c.sgf"]


def test_effects_of_parameters_are_those_of_the_commands() -> None:
    lines = b"variant-get\nkata-get-param allowResignation\n"
    parameters = ("--mode", "gtp", "--boardsize", "9", "--komi", "0.5", "--never-resign", "--level", "3")
    done = run("gtp", "--as", "gnugo", *parameters, sent=lines)
    spec, resigns = done.stdout.decode().split("\n\n")[:2]
    assert spec.startswith("= go:size=9,komi=0.5,")
    assert resigns == "= false"
    # A SPEC beats the game that goes with a program.
    done = run("gtp", "pentalath", "--as", "gnugo", "--boardsize", "99", sent=b"query_boardsize\nname\n")
    assert done.stdout == b"= 13\n\n= GNU Go\n\n"
    assert b"boardsize 99: unacceptable size; the parameter has no effect here\n" in done.stderr


@pytest.mark.parametrize(
    "given", [["-model", "x"], ["--as", "katago", "-w", "x"], ["--as", "leela-zero", "--mode", "gtp"]]
)
def test_parameters_of_another_program_are_refused(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gtp.parser().parse_args(given)
    assert "unrecognized arguments" in capsys.readouterr().err
