"""The unit for systemd and the container file name what is there, keep little, and end for good where they should."""

import os
import re
import shutil
import signal
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.bridge.core import session
from gtp_variants.cli.commands import WRONG
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.running_bridge import ENGINE, config_of, environment, running, text_of
from tests.support.programs import COMMAND
from tests.support.waiting import until

FOLDER = configs.bridge("cgos").parent
ROOT = FOLDER.parents[1]
ANALYZE, STRACE = shutil.which("systemd-analyze"), shutil.which("strace")
NEEDS_ANALYZE = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here")
# From so much on systemd calls a service exposed.
MOST_EXPOSED = 2.5


def unit() -> str:
    return (FOLDER / "gtp-variants-bridge.service").read_text(encoding="utf-8")


def unit_here(folder: Path) -> Path:
    """The unit with commands that are installed here, too."""
    file = folder / "gtp-variants-bridge.service"
    file.write_text(re.sub(r"(?m)^(Exec\w+=)\S+", rf"\g<1>{shutil.which('true')}", unit()), encoding="utf-8")
    return file


def test_the_unit_does_not_restart_after_a_fault_that_needs_a_person() -> None:
    found = re.search(r"^RestartPreventExitStatus=(.*)$", unit(), re.MULTILINE)
    assert found is not None
    assert found[1].split() == [str(status) for status in (WRONG, session.REFUSED, session.FAILED)]
    # For a command before it that list does not hold.
    assert not re.search(r"^ExecStartPre=", unit(), re.MULTILINE)


@NEEDS_ANALYZE
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    assert ANALYZE is not None
    done = subprocess.run(
        [ANALYZE, "verify", str(unit_here(tmp_path))], capture_output=True, text=True, check=False, timeout=120
    )
    # It may also speak of units of the machine; ours has nothing to be said about.
    assert "gtp-variants-bridge" not in done.stdout + done.stderr


@NEEDS_ANALYZE
def test_the_unit_is_hardly_exposed(tmp_path: Path) -> None:
    assert ANALYZE is not None
    command = [ANALYZE, "security", "--offline=true", "--no-pager", str(unit_here(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "offline" in done.stderr:
        pytest.skip("this systemd-analyze looks at running units only")
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None, done.stdout + done.stderr
    assert float(found[1]) < MOST_EXPOSED


@pytest.mark.slow
@NEEDS_ANALYZE
@pytest.mark.skipif(STRACE is None, reason="strace is not here")
async def test_a_game_needs_no_system_call_that_the_unit_forbids(tmp_path: Path) -> None:
    """A whole game with an engine process, under strace."""
    async with CgosServer(most_games=1) as server:
        path, trace = tmp_path / "bridge.yaml", tmp_path / "trace"
        path.write_text(text_of("cgos", server.port, tmp_path, f"engine: {{command: {ENGINE} --bot greedy}}\n"))
        assert STRACE is not None
        async with running(config_of("cgos", server.port, tmp_path / "other", name="other")):
            process = subprocess.Popen(
                [STRACE, "-f", "-qq", "-e", "signal=none", "-o", str(trace), *COMMAND, "bridge", str(path)],
                env=environment(),
                stderr=subprocess.DEVNULL,
            )
            try:
                await until(lambda: len(server.finished) == 1, "a game")
            finally:
                # strace itself takes no notice of signals.
                for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                    os.kill(int(child), signal.SIGTERM)
                await until(lambda: process.poll() is not None, "its end")
    used = set(re.findall(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)", trace.read_text(errors="replace"), re.MULTILINE))
    assert {"connect", "execve"} < used
    # SQLite gives its files away only where it is root, as which the unit does not run.
    assert used - ({"fchown"} if os.geteuid() == 0 else set()) <= _allowed_calls()


def _allowed_calls() -> set[str]:
    """Return the system calls that the unit's `SystemCallFilter` allows."""
    allowed: set[str] = set()
    for value in re.findall(r"^SystemCallFilter=(.*)$", unit(), re.MULTILINE):
        calls = set().union(*map(_calls_of, value.removeprefix("~").split()))
        allowed = allowed - calls if value.startswith("~") else allowed | calls
    # Always allowed: see systemd.exec(5).
    return allowed | _calls_of("@default")


def _calls_of(name: str) -> set[str]:
    if not name.startswith("@"):
        return {name}
    assert ANALYZE is not None
    done = subprocess.run([ANALYZE, "--no-pager", "syscall-filter", name], capture_output=True, text=True, check=True)
    words = [line.strip() for line in done.stdout.splitlines()[1:] if line.strip() and "#" not in line]
    return set().union(*map(_calls_of, words))


# -- the container -----------------------------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """The container file, an instruction a line."""
    text = (FOLDER / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def test_the_container_runs_commands_as_an_unprivileged_user() -> None:
    found = instructions()
    names = [name for name, _ in found]
    assert set(names) <= set("FROM RUN COPY USER WORKDIR STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split())
    # TERM is what lets games end, and a status after which nothing is started again what ends it for good.
    assert ("STOPSIGNAL", "SIGTERM") in found
    assert ("ENTRYPOINT", '["gtp-variants", "bridge", "--final-status", "0"]') in found
    (health,) = [value for name, value in found if name == "HEALTHCHECK"]
    assert health.endswith('CMD ["gtp-variants", "bridge", "/bridge/bridge.yaml", "health"]')
    assert names.index("USER") < names.index("ENTRYPOINT")
    # Two stages: what builds stays behind.
    stages = [value for name, value in found if name == "FROM"]
    assert stages == ["python:3.13-slim AS build", "python:3.13-slim"]
    copies = [value for name, value in found[names.index("FROM", 1) :] if name == "COPY"]
    assert copies == ["--from=build /installed /usr/local"]


def _build_context(folder: Path) -> Path:
    """A checkout with what must not get into an image, without what `.dockerignore` keeps out."""
    kept_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in [*listed.splitlines(), ".git/config", "gtp_variants/ai/kernel/_kernel.so", "out/x/games/secret.json"]:
        parts = Path(name).parts
        if any(fnmatch(part, each.removeprefix("**/")) for part in parts for each in kept_out):
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, folder / name)
        else:
            (folder / name).write_text("")
    return folder


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
def test_the_container_files_are_complete_and_minimal(tmp_path: Path) -> None:
    """The COPY lines, carried out."""
    context, image = _build_context(tmp_path / "context"), tmp_path / "image"
    for name, value in instructions():
        if name != "COPY" or value.startswith("--from"):
            continue
        *sources, target = value.split()
        to = image / target.lstrip("/")
        for source in sources:
            there = context / source
            if there.is_dir():
                shutil.copytree(there, to, dirs_exist_ok=True)
            else:
                to.mkdir(parents=True, exist_ok=True)
                shutil.copy(there, to)
    files = {str(path.relative_to(image / "source")) for path in image.rglob("*") if path.is_file()}
    assert {"pyproject.toml", "CMakeLists.txt", "gtp_variants/__init__.py", "bots/mcts.py"} <= files
    assert not [name for name in files if re.search(r"(^|/)\.git|\.so$|__pycache__|secret", name)]
    # What the build says it needs is there.
    project = (image / "source" / "pyproject.toml").read_text(encoding="utf-8")
    for folder in re.findall(r'^"gtp_variants[^"]*" = "([^"]+)"', project, re.MULTILINE):
        assert (image / "source" / folder).is_dir()


@pytest.mark.parametrize(("status", "told"), [([], 2), (["--final-status", "0"], 0)])
def test_a_wrong_file_ends_a_container_for_good(tmp_path: Path, status: list[str], told: int) -> None:
    path = tmp_path / "bridge.yaml"
    path.write_text("bridge: 1\nserver: nonsense\n")
    done = subprocess.run([*COMMAND, "bridge", *status, str(path)], capture_output=True, env=environment(), timeout=60)
    assert done.returncode == told
    assert b"server" in done.stderr


@pytest.mark.slow
async def test_the_health_page_shows_the_bridges_state(tmp_path: Path) -> None:
    async with CgosServer() as server:
        path = tmp_path / "bridge.yaml"
        path.write_text(text_of("cgos", server.port, tmp_path))
        ask = [*COMMAND, "bridge", str(path), "health"]
        assert subprocess.run(ask, env=environment(), capture_output=True, timeout=60).returncode == 1
        process = subprocess.Popen([*COMMAND, "bridge", str(path)], env=environment(), stderr=subprocess.DEVNULL)
        try:
            await until(lambda: "botty" in server.online)
            assert subprocess.run(ask, env=environment(), capture_output=True, timeout=60).returncode == 0
        finally:
            process.terminate()
            await until(lambda: process.poll() is not None)
        assert process.returncode == 0
