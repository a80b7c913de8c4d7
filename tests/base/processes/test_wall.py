"""A player behind a wall reaches neither the processes nor the files of its user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.base.processes import wall
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.base.processes.wall import BUBBLEWRAP, KINDS, NONE, VARIABLE, WALL, Wall, wall_kind
from gtp_variants.errors import ConfigError, PeerGone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls need Linux")


@pytest.fixture
def walls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use walls from now on, if they work here."""
    if not wall._works():
        pytest.skip("bubblewrap does not work here")
    monkeypatch.setenv(VARIABLE, BUBBLEWRAP)


def run(around: Wall, code: str, folder: Path, *arguments: str) -> str:
    """Run a Python program behind a wall, and return what it prints, or the last line of its error."""
    command = around.enclose([sys.executable, "-c", code, *arguments], folder, os.environ)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return (done.stdout or done.stderr).strip().rpartition("\n")[2]


def test_player_reads_what_its_command_names_and_nothing_else(walls: None, tmp_path: Path) -> None:
    for name in ("engine", "secrets", "match"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"the {name}")
    names = tmp_path / "engine" / "file", tmp_path / "secrets" / "file", tmp_path / "match" / "file"
    read = "import sys; print(open('/'.join(sys.argv[1:])).read())"
    parts = [str(each).lstrip("/").split("/") for each in names]
    # A path in parts is not named, so that only the folder in which the player runs is open.
    assert run(WALL, read, tmp_path / "engine", "", *parts[0]) == "the engine"
    assert "Error" in run(WALL, read, tmp_path / "engine", "", *parts[1])
    assert run(WALL, "import sys; print(open(sys.argv[1]).read())", tmp_path / "engine", str(names[1])) == "the secrets"
    assert run(Wall(readable=(tmp_path,)), read, tmp_path / "engine", "", *parts[1]) == "the secrets"
    hidden = Wall(readable=(tmp_path,), hidden=(tmp_path / "match",))
    assert run(hidden, read, tmp_path / "engine", "", *parts[1]) == "the secrets"
    assert "Error" in run(hidden, read, tmp_path / "engine", "", *parts[2])


WRITE = "import sys; open('/'.join(sys.argv[1:]), 'w').write('x'); print('written')"


def test_player_writes_only_into_its_private_folder_and_open_paths(walls: None, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    parts = str(tmp_path).lstrip("/").split("/")
    assert "Error" in run(WALL, WRITE, tmp_path, "", *parts, "file")
    assert run(Wall(paths=(tmp_path / "open",)), WRITE, tmp_path, "", *parts, "open", "file") == "written"
    assert (tmp_path / "open" / "file").read_text() == "x"
    private = "import tempfile, os; print(tempfile.mkstemp() and os.path.exists(os.path.expanduser('~')))"
    assert run(WALL, private, tmp_path) == "True"


STRIKE = """
import os, resource, sys
pid = int(sys.argv[1])
done = []
for act in (
    lambda: os.kill(pid, 0),
    lambda: os.kill(pid, 19),
    lambda: open(f"/proc/{pid}/mem", "rb"),
    lambda: open(f"/proc/{pid}/environ", "rb").read(),
    lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
    lambda: os.sched_setaffinity(pid, {0}),
):
    try:
        act()
        done.append(act.__code__.co_firstlineno)
    except OSError:
        pass
print(done)
"""


def test_player_has_no_terminal(walls: None, tmp_path: Path) -> None:
    """An ioctl could type into the terminal from which the match was started."""
    code = "import sys; sys.stdin.read()"
    engine = ProcessChannel([sys.executable, "-c", code], folder=tmp_path, wall=WALL)
    try:
        assert engine._process.pid == os.getsid(engine._process.pid) != os.getsid(0)
    finally:
        engine.close()


def test_memory_of_a_players_folders_is_bounded(walls: None, tmp_path: Path) -> None:
    # A path that stood in an argument would be open.
    code = "import os; print({s.f_blocks * s.f_frsize for s in map(os.statvfs, ('/tmp', '/dev/shm'))})"
    assert run(WALL, code, tmp_path) == str({2**30})


def test_player_cannot_reach_another_process(walls: None, tmp_path: Path) -> None:
    victim = subprocess.Popen(["sleep", "1000"])
    try:
        assert run(WALL, STRIKE, tmp_path, str(victim.pid)) == "[]"
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    print("connected")
except OSError:
    print("refused")
"""


def test_player_has_a_network_only_if_it_is_given_one(walls: None, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert run(WALL, CONNECT, tmp_path, port) == "refused"
        assert run(Wall(network=True), CONNECT, tmp_path, port) == "connected"


def test_limits_of_processes_and_files_hold_behind_the_wall(walls: None, tmp_path: Path) -> None:
    code = "import resource as r; print([r.getrlimit(x)[0] for x in (r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NPROC)])"
    core, size, count = map(int, run(WALL, code, tmp_path).strip("[]").split(","))
    assert (core, size <= 2**30, count <= 4096) == (0, True, True)


def test_signal_that_ends_a_player_is_seen_through_the_wall(walls: None, tmp_path: Path) -> None:
    channel = ProcessChannel([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], folder=tmp_path, wall=WALL)
    assert channel.read(60) == b""
    assert channel.ending() == "signal SIGKILL"
    channel.close()
    channel = ProcessChannel([sys.executable, "-c", "raise SystemExit(3)"], folder=tmp_path, wall=WALL, is_quiet=True)
    assert channel.read(60) == b""
    assert channel.ending() == "exit status 3"
    channel.close()


def test_program_that_does_not_exist_is_named(walls: None, tmp_path: Path) -> None:
    for name in ("no-such-program", "./no-such-program"):
        with pytest.raises(PeerGone, match=f"cannot start '{name}': program not found"):
            ProcessChannel([name], folder=tmp_path, wall=WALL)


@pytest.mark.parametrize("told", KINDS)
def test_variable_chooses_the_kind_of_wall(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv(VARIABLE, told)
    assert wall_kind() == told
    if told == NONE:
        assert WALL.enclose(["true"], None, os.environ) == ["true"]


def test_unknown_kind_of_wall_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "brick")
    with pytest.raises(ConfigError, match="GTP_VARIANTS_WALL=brick: expected bubblewrap or none"):
        wall_kind()


def test_wall_is_built_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    for is_working, kind in ((True, BUBBLEWRAP), (False, NONE)):
        monkeypatch.setattr(wall, "_works", lambda is_working=is_working: is_working)
        assert wall_kind() == kind


@pytest.mark.parametrize(("hard", "found"), [(-1, 2**30), (2**20, 2**20)])
def test_lower_limit_of_the_user_stays(monkeypatch: pytest.MonkeyPatch, hard: int, found: int) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (hard, hard))
    assert f"--fsize={found}" in WALL.build(["true"], Path("/"), os.environ)
