"""A game whose referee or player is ended or stopped from outside is void, and nobody is charged with it."""

import json
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.run.worker import Worker
from gtp_variants.arena.schedule import Fixture, units
from gtp_variants.arena.store import MatchStore
from gtp_variants.base.processes import wall
from tests.arena import matches
from tests.arena.matches import COMPLETE, FAILED, write_match
from tests.arena.run.test_supervision import Begun, wait_until, ward_of
from tests.gtp.client.engines import GO

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guardian needs Linux")

SLOW = pytest.mark.slow
# An engine that sends itself a signal at its second genmove, in as many processes as a file has bytes.
STRUCK = """
import os, signal
seen = 0
def strike(command):
    global seen
    seen += command == "genmove"
    if command == "genmove" and seen == 2 and os.path.getsize("strikes") > 0:
        os.truncate("strikes", os.path.getsize("strikes") - 1)
        os.kill(os.getpid(), signal.NAME)
""" + GO.replace("    answer(*words)", "    strike(words[0]); answer(*words)")


def write_struck(folder: Path, name: str, strikes: int) -> Path:
    (folder / "engine.py").write_text(STRUCK.replace("NAME", name))
    (folder / "strikes").write_text("x" * strikes)
    program = f"{{command: [{sys.executable}, engine.py, ''], cwd: '{folder}'}}"
    # Only a stopped engine is waited for until its deadline. No load makes a running one so late.
    deadline = "10s" if name == "SIGSTOP" else "600s"
    game = f"move_limit: 10, limits: {{command: {deadline}, startup: 600s}}"
    return write_match(folder, {"struck": program, "ours": "bot:greedy"}, 2, spec="go:size=5", game=game)


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW) for name in ("SIGKILL", "SIGTERM", "SIGSTOP")])
def test_game_is_replayed_twice_when_its_player_is_struck(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write_struck(here, name, 2)
    assert matches.run("small.yaml", "--json") == COMPLETE
    report = json.loads(capsys.readouterr().out)
    assert [each["interferences"] for each in report["matchups"]] == [2]
    failures = {player["name"]: player["failures"] for player in report["players"]}
    assert (failures["struck"].pop("killed"), failures["ours"].pop("killed")) == (2, 0)
    assert not any(count for each in failures.values() for count in each.values())
    assert {row.kind for row, _ in matches.played().values()} == {"adjudicated"}


def test_players_stop_meeting_after_three_void_games(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_struck(here, "SIGKILL", 100)
    assert matches.run("small.yaml") == FAILED
    said = capsys.readouterr()
    assert "struck against ours is stopped: 3 games were void" in said.err
    assert "Interference: 3 games were void" in said.out
    assert matches.run("small.yaml", "show", "--lang", "fr") == COMPLETE
    assert "Ingérence\N{NO-BREAK SPACE}: 3 parties sont non avenues" in capsys.readouterr().out
    with MatchStore(here / "out" / "arena.db") as store:
        row = store.rows()["struck-ours/0001a"]
        assert len(store.rows()) == 1
    assert (row.kind, row.winner, row.interferences) == ("void", None, 3)
    # The same command stops at once, for the same reason.
    assert matches.run("small.yaml", "--quiet") == FAILED


def fixture_of(folder: Path, players: dict[str, str]) -> Fixture:
    config = resolve.load(write_match(folder, players, 1, spec="go:size=5"))
    return next(next(units(config, {})).fixtures(config))


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, *(pytest.param(each, marks=SLOW) for each in (signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV))],
)
def test_nobody_is_charged_when_the_referee_is_struck(here: Path, number: int) -> None:
    begun = Begun()
    worker, fixture = (
        Worker(here / "logs", observers=[begun]),
        fixture_of(here, {"a": "bot:mcts:seconds=600", "b": "bot:mcts"}),
    )
    found = []
    thread = threading.Thread(target=lambda: found.append(worker.play(fixture).row))
    thread.start()
    struck = {0}
    while thread.is_alive() and len(struck) < 4:
        wait_until(lambda: begun.log is not None and begun.log.asked.is_here and ward_of(worker) not in struck)
        struck.add(pid := ward_of(worker))
        os.kill(pid, number)
    thread.join(60)
    worker.close()
    (row,) = found
    name = signal.Signals(number).name
    assert (row.kind, row.why) == ("void", f"the referee's process was ended or stopped from outside (signal {name})")
    assert [failure[:2] for failure in row.failures] == [("", "killed")] * 3


def test_game_that_is_over_cannot_be_forfeited(here: Path) -> None:
    (here / "leaves.py").write_text(
        "import gtp_variants as gv, os\nclass Leaves(gv.Seat):\n    def leave(self, outcome): os._exit(3)\n"
    )
    worker = Worker(here / "logs")
    row = worker.play(fixture_of(here, {"a": "bot:uniform", "b": "{command: bot:leaves.py, trusted: true}"})).row
    worker.close()
    assert (row.kind, row.failures) == ("played", ())


# Kills and stops what it can see, and reads the memory of its ancestors.
HOSTILE = """
import gtp_variants as gv, os, signal

class Hostile(gv.Seat):
    def choose(self, view, clock):
        # Under Landlock /proc cannot be listed.
        for pid in range(max(1, os.getpid() - 500), os.getpid() + 500):
            for number in (signal.SIGSTOP, signal.SIGKILL):
                try:
                    if pid != os.getpid():
                        os.kill(pid, number)
                except OSError:
                    pass
        return super().choose(view, clock)

class Plain(gv.Seat): pass
"""


@pytest.mark.parametrize("kind", [wall.BUBBLEWRAP, wall.LANDLOCK])
def test_hostile_bot_behind_a_wall_harms_nobody(here: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    if not wall._works(kind):
        pytest.skip(f"{kind} does not work here")
    monkeypatch.setenv(wall.VARIABLE, kind)
    (here / "hostile.py").write_text(HOSTILE)
    engine = f"{sys.executable} -m gtp_variants gtp --bot uniform"
    players = {"hostile": "bot:hostile.py:Hostile", "plain": "bot:hostile.py:Plain", "engine": engine}
    write_match(here, players, 1, tournament="roundrobin", spec="go:size=5", game="move_limit: 12")
    assert matches.run("small.yaml", "--quiet") == COMPLETE
    rows = [row for row, _ in matches.played().values()]
    assert len(rows) == 6
    assert not any(row.failures for row in rows)
