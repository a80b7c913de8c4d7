"""A player behind a wall reaches neither the processes nor the files of its user."""

import errno
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gtp_variants.base.processes import wall
from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.base.processes.wall import (
    BUBBLEWRAP,
    KINDS,
    LANDLOCK,
    NONE,
    SANDBOX_EXEC,
    VARIABLE,
    WALL,
    Wall,
    wall_kind,
)
from gtp_variants.errors import ConfigError, PeerGone, PeerKilled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls need Linux")


def use(kind: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Use one kind of wall from now on, if it works here."""
    if not wall._works(kind):
        pytest.skip(f"{kind} does not work here")
    monkeypatch.setenv(VARIABLE, kind)
    return kind


@pytest.fixture(params=[BUBBLEWRAP, LANDLOCK])
def walls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    return use(request.param, monkeypatch)


@pytest.fixture
def bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    use(BUBBLEWRAP, monkeypatch)


@pytest.fixture
def landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    use(LANDLOCK, monkeypatch)


def run(around: Wall, code: str, folder: Path, *arguments: str) -> str:
    """Run a Python program behind a wall, and return what it prints, or the last line of its error."""
    command = around.enclose([sys.executable, "-c", code, *arguments], folder, os.environ)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, start_new_session=True)
    return (done.stdout or done.stderr).strip().rpartition("\n")[2]


def test_player_reads_what_its_command_names_and_nothing_else(walls: str, tmp_path: Path) -> None:
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


def test_player_writes_only_into_its_private_folder_and_open_paths(walls: str, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    parts = str(tmp_path).lstrip("/").split("/")
    assert "Error" in run(WALL, WRITE, tmp_path, "", *parts, "file")
    assert run(Wall(paths=(tmp_path / "open",)), WRITE, tmp_path, "", *parts, "open", "file") == "written"
    assert (tmp_path / "open" / "file").read_text() == "x"
    private = "import tempfile, os; print(tempfile.mkstemp()[1], os.path.exists(os.path.expanduser('~')))"
    made, is_there = run(WALL, private, tmp_path).split()
    assert is_there == "True"
    assert not Path(made).exists()


STRIKE = """
import ctypes, os, resource, sys
pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*map(ctypes.c_long, arguments)) < 0:
        raise OSError
done, byte = [], ctypes.c_byte()
part = (ctypes.c_size_t * 2)(ctypes.addressof(byte), 1)
for act in (
    lambda: os.kill(pid, 0),
    lambda: os.kill(pid, 19),
    lambda: os.killpg(os.getpgid(pid), 0),
    lambda: call(200, pid, 19),
    lambda: call(129, pid, 19, id(done)),
    lambda: call(101, 16, pid, 0, 0),
    lambda: call(310, pid, ctypes.addressof(part), 1, ctypes.addressof(part), 1, 0),
    lambda: call(438, os.pidfd_open(pid), 0, 0),
    lambda: open(f"/proc/{pid}/mem", "rb"),
    lambda: open(f"/proc/{pid}/environ", "rb").read(),
    lambda: open(f"/proc/{pid}/maps", "rb").read(1) or call(-1),
    lambda: os.listdir(f"/proc/{pid}/fd"),
    lambda: open(f"/proc/{pid}/cmdline", "rb").read(),
    lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
    lambda: os.sched_setaffinity(pid, {0}),
    lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
    lambda: os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_USER, 0)) or os.getpriority(os.PRIO_PROCESS, pid),
):
    try:
        act()
        done.append(act.__code__.co_firstlineno)
    except OSError:
        pass
print(done)
"""


def test_player_has_no_terminal(walls: str, tmp_path: Path) -> None:
    """An ioctl could type into the terminal from which the match was started."""
    code = "import sys; sys.stdin.read()"
    engine = ProcessChannel([sys.executable, "-c", code], folder=tmp_path, wall=WALL)
    try:
        assert engine._process.pid == os.getsid(engine._process.pid) != os.getsid(0)
    finally:
        engine.close()


def test_memory_of_a_players_folders_is_bounded(bubblewrap: None, tmp_path: Path) -> None:
    # A path that stood in an argument would be open.
    code = "import os; print({s.f_blocks * s.f_frsize for s in map(os.statvfs, ('/tmp', '/dev/shm'))})"
    assert run(WALL, code, tmp_path) == str({2**30})


def test_player_cannot_reach_another_process(walls: str, tmp_path: Path) -> None:
    victim = subprocess.Popen(["sleep", "1000"], start_new_session=True)
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


def test_player_has_a_network_only_if_it_is_given_one(walls: str, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert run(WALL, CONNECT, tmp_path, port) == "refused"
        assert run(Wall(network=True), CONNECT, tmp_path, port) == "connected"


def test_landlock_leaves_no_socket_that_could_send_to_one_in_the_file_system(landlock: None, tmp_path: Path) -> None:
    code = """
import socket
socket.socketpair()
try:
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    print("made")
except OSError:
    print("refused")
"""
    assert run(WALL, code, tmp_path) == "refused"


# Each way makes or changes what no player may, by the numbers that x86-64 and ARM64 have in common.
ESCAPE = """
import ctypes, fcntl, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError
vsock, newuser, set_flags = 40, 0x10000000, 0x40086602
ways = {
    "vsock": lambda: socket.socket(vsock, socket.SOCK_STREAM),
    "bluetooth": lambda: socket.socket(31, socket.SOCK_STREAM),
    "unshare": lambda: call("unshare", newuser),
    "clone": lambda: call("syscall", 56 if os.uname().machine == "x86_64" else 220, newuser, 0, 0, 0, 0),
    "watch": lambda: call("inotify_add_watch", libc.inotify_init(), b"/usr", 0xFFF),
    "flags": lambda: fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), set_flags, struct.pack("q", 0x40)),
    "io_uring": lambda: call("syscall", 425, 4, ctypes.create_string_buffer(120)),
}
for name in sys.argv[2:]:
    try:
        ways[name]()
        print(name, end=" ")
    except OSError:
        pass
os.waitpid(os.fork() or os._exit(0), 0)
print("all tried")
"""


@pytest.mark.skipif(not wall._landlock_program(), reason="the package is not compiled")
def test_player_escapes_by_no_other_socket_and_no_flags_of_its_files(walls: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ways = ["vsock", "bluetooth", "flags", "io_uring"]
    assert run(WALL, ESCAPE, tmp_path, str(tmp_path / "file"), *ways) == "all tried"


def test_landlock_refuses_namespaces_and_watches(landlock: None, tmp_path: Path) -> None:
    assert run(WALL, ESCAPE, tmp_path, "", "unshare", "clone", "watch") == "all tried"


# Prints the error of each call: file_setattr without arguments, io_uring_setup, one not reviewed, and x32's getpid.
NUMBERS = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for number in (469, 425, 470, 0x40000000 + 39):
    libc.syscall(number, 0, 0, 0, 0, 0)
    print(errno.errorcode[ctypes.get_errno()], end=" ")
"""


def test_landlock_refuses_file_setattr_and_calls_not_reviewed(landlock: None, tmp_path: Path) -> None:
    assert run(WALL, NUMBERS, tmp_path) == "EPERM EPERM ENOSYS ENOSYS"


@pytest.mark.skipif(not wall._landlock_program(), reason="the package is not compiled")
def test_bubblewrap_has_no_io_uring(bubblewrap: None, tmp_path: Path) -> None:
    assert run(WALL, NUMBERS, tmp_path).split()[1] == "ENOSYS"


# Reads the attributes of a file, by file_getattr, and with "set" turns its attribute "nodump", by file_setattr.
ATTRIBUTES = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
attributes = (ctypes.c_uint64 * 3)()
def call(number):
    return libc.syscall(number, -100, "/".join(sys.argv[2:]).encode(), attributes, ctypes.c_size_t(24), 0)
if call(468):
    sys.exit("no attributes")
if sys.argv[1] == "set":
    attributes[0] ^= 0x80
    call(469)
    call(468)
print(attributes[0])
"""


def test_player_leaves_the_attributes_of_files(walls: str, tmp_path: Path) -> None:
    outside, inside = tmp_path / "file", tmp_path / "player"
    outside.touch()
    inside.mkdir()
    parts = str(outside).lstrip("/").split("/")

    def attributes(act: str) -> str:
        command = [sys.executable, "-c", ATTRIBUTES, act, "", *parts]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    before = attributes("read")
    if not before or attributes("set") == before:
        pytest.skip("this kernel or file system has no file_setattr")
    before = attributes("read")
    run(WALL, ATTRIBUTES, inside, "set", "", *parts)
    assert attributes("read") == before


def test_no_socket_of_a_service_is_among_the_folders_of_the_system() -> None:
    services = Path("/nix/var/nix/daemon-socket/socket"), Path("/run/systemd/resolve/io.systemd.Resolve")
    assert not any(folder in (each, *each.parents) for each in services for folder in wall.SYSTEM_FOLDERS)


def test_limits_of_files_hold_behind_the_wall(walls: str, tmp_path: Path) -> None:
    code = "import resource as r; print([r.getrlimit(each)[0] for each in (r.RLIMIT_CORE, r.RLIMIT_FSIZE)])"
    core, size = map(int, run(WALL, code, tmp_path).strip("[]").split(","))
    assert (core, size <= 2**30) == (0, True)


# Starts threads that end, then threads that wait, until none may be started.
MULTIPLY = """
import threading
threading.stack_size(2**16)
for _ in range(5000):
    ends = threading.Thread(target=int)
    ends.start()
    ends.join()
event, count = threading.Event(), 0
try:
    while count < 5000:
        threading.Thread(target=event.wait, daemon=True).start()
        count += 1
except RuntimeError:
    pass
print(count, flush=True)
event.set()
"""


def test_landlock_counts_the_threads_that_a_player_has_at_once(landlock: None, tmp_path: Path) -> None:
    # Its first thread counts, too.
    assert run(WALL, MULTIPLY, tmp_path) == "2047"


FILL = """
import os, sys, tempfile
print(tempfile.gettempdir(), flush=True)
os.chdir(tempfile.gettempdir())
for name in "ab":
    with open(name, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 600 * 2**20)
sys.stdin.read()
"""
NEST = """
import os, sys, tempfile
print(tempfile.gettempdir(), flush=True)
os.chdir(tempfile.gettempdir())
for _ in range(500):
    os.mkdir("a", 0o100 * 3)
    os.chdir("a")
sys.stdin.read()
"""


@pytest.mark.parametrize("code", [FILL, NEST])
def test_landlock_ends_a_player_whose_temporary_files_are_too_large(landlock: None, tmp_path: Path, code: str) -> None:
    log = tmp_path / "log"
    player = ProcessChannel([sys.executable, "-c", code], folder=tmp_path, wall=WALL, stderr=log)
    folder = Path((player.read(600) or b"").decode().strip())
    while player.read(600):
        pass
    while not (ending := player.ending()):
        pass
    assert ending == "signal SIGXFSZ"
    player.close()
    assert "ended by its wall: its temporary files exceed 1 GiB, or lie too deep" in log.read_text()
    assert not folder.exists()


def test_signal_that_ends_a_player_is_seen_through_the_wall(walls: str, tmp_path: Path) -> None:
    channel = ProcessChannel([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], folder=tmp_path, wall=WALL)
    assert channel.read(60) == b""
    assert channel.ending() == "signal SIGKILL"
    channel.close()
    channel = ProcessChannel([sys.executable, "-c", "raise SystemExit(3)"], folder=tmp_path, wall=WALL, is_quiet=True)
    assert channel.read(60) == b""
    assert channel.ending() == "exit status 3"
    channel.close()


def test_program_that_does_not_exist_is_named(walls: str, tmp_path: Path) -> None:
    for name in ("no-such-program", "./no-such-program"):
        with pytest.raises(PeerGone, match=f"cannot start '{name}': program not found"):
            ProcessChannel([name], folder=tmp_path, wall=WALL)


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.EAGAIN, PeerKilled), (errno.ENOMEM, PeerKilled), (errno.EACCES, PeerGone)]
)
def test_player_is_not_charged_when_the_system_has_no_processes_left(
    monkeypatch: pytest.MonkeyPatch, number: int, kind: type[PeerGone]
) -> None:
    def start(*arguments: object, **more: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(PeerGone, match=f"cannot start 'true': {os.strerror(number)}") as raised:
        ProcessChannel(["true"])
    assert type(raised.value) is kind


@pytest.mark.parametrize("told", KINDS)
def test_variable_chooses_the_kind_of_wall(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv(VARIABLE, told)
    assert wall_kind() == told
    if told == NONE:
        assert WALL.enclose(["true"], None, os.environ) == ["true"]


def test_unknown_kind_of_wall_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "brick")
    expected = "GTP_VARIANTS_WALL=brick: expected bubblewrap, landlock, sandbox-exec, job-object or none"
    with pytest.raises(ConfigError, match=expected):
        wall_kind()


def test_best_wall_that_works_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    for working in ([BUBBLEWRAP, LANDLOCK, NONE], [LANDLOCK, NONE], [NONE]):
        monkeypatch.setattr(wall, "_works", working.__contains__)
        assert wall_kind() == working[0]


@pytest.mark.parametrize(("hard", "found"), [(-1, 2**30), (2**20, 2**20)])
def test_lower_limit_of_the_user_stays(monkeypatch: pytest.MonkeyPatch, hard: int, found: int) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (hard, hard))
    assert f"--fsize={found}" in WALL.build(["true"], Path("/"), os.environ, BUBBLEWRAP)


HIDDEN = """
import os, sys
folder, names = "/".join(sys.argv[1:-1]), []
for name in ("engine", "secret", "secrets/file"):
    try:
        names.append(open(f"{folder}/{name}").read())
    except OSError:
        names.append("")
print(*names, sep="|")
"""


def test_secret_places_are_hidden_from_every_player(
    walls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = set[Path]()
    monkeypatch.setattr(wall, "SECRET_PLACES", places)
    (tmp_path / "secrets").mkdir()
    for name in ("engine", "secret", "secrets/file"):
        (tmp_path / name).write_text(name)
    parts = str(tmp_path).lstrip("/").split("/")
    assert run(WALL, HIDDEN, tmp_path, "", *parts, "") == "engine|secret|secrets/file"
    places |= {tmp_path / "secret", tmp_path / "secrets"}
    assert run(WALL, HIDDEN, tmp_path, "", *parts, "") == "engine||"


DAEMON = """
import os, sys, time
if not os.fork():
    os.setsid()
    if not os.fork():
        os.closerange(0, 100)
        time.sleep(1000)
    os._exit(0)
os.write(1, b"started\\n")
if sys.argv[1] == "stays":
    time.sleep(1000)
"""


@pytest.mark.parametrize("how", ["stays", "ends"])
def test_runaway_children_end_with_their_player(walls: str, tmp_path: Path, how: str) -> None:
    mark = str(tmp_path / "mark")
    engine = ProcessChannel([sys.executable, "-c", DAEMON, how, mark], folder=tmp_path, wall=WALL, grace_s=0.1)
    assert engine.read(60) == b"started\n"
    if how == "ends":
        assert engine.read(60) == b""
        assert engine.ending() == "exit status 0"
    engine.close()
    until_none_has(mark)


def until_none_has(word: str) -> None:
    """Wait until no process has a word in its command line."""
    lines = [""]
    while lines:
        lines = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                lines += [text for text in [file.read_bytes().decode()] if word in text]
        time.sleep(0.01)


def test_processes_of_one_player_do_not_count_for_another(bubblewrap: None) -> None:
    command = WALL.build(["true"], Path("/"), os.environ, BUBBLEWRAP)
    assert not any(word.startswith("--nproc") for word in command[: command.index("bwrap")])
    assert any(word.startswith("--nproc") for word in command[command.index("bwrap") :])


METADATA = """
import os, sys
os.chmod("/".join(sys.argv[1:]), 0o777)
os.utime("/".join(sys.argv[1:]), (0, 0))
"""


def test_landlock_leaves_the_modes_and_times_of_files(landlock: None, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    before = file.stat().st_mode, file.stat().st_mtime
    run(WALL, METADATA, tmp_path, "", *str(file).lstrip("/").split("/"))
    assert (file.stat().st_mode, file.stat().st_mtime) == before


def test_profile_of_macos_opens_what_its_player_needs_in_the_right_order(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "hidden").mkdir()
    around = Wall(paths=(tmp_path / "own",), hidden=(tmp_path / "hidden",))
    shell, script, profile, *command = around.build(["true", "x"], tmp_path, os.environ, SANDBOX_EXEC)
    assert (shell, command) == ("sh", ["true", "x"])
    assert 'sandbox-exec -D TEMPORARY="$folder" -p "$profile" "$@"' in Path(script).read_text()
    lines = profile.splitlines()
    place = str(tmp_path.resolve())
    order = [
        "(allow default)",
        "(deny file-write*)",
        f'(allow file-read* (subpath "{place}"))',
        f'(deny file-read* file-write* (subpath "{place}/hidden"))',
        f'(allow file-read* file-write* (subpath "{place}/own"))',
        "(deny network*)",
    ]
    assert [line for line in lines if line in order] == order
    assert "(deny network*)" not in Wall(network=True).build(["true"], tmp_path, os.environ, SANDBOX_EXEC)[2]
