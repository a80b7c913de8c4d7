"""The key that all engine processes of one window share: whose it is, where it lies, which process is the host."""

import os
import sys
from pathlib import Path

import pytest

from gtp_variants.gtp.engine import engine_host as shared_dice_key
from gtp_variants.gtp.engine.engine_host import host_key

# Process number -> name, parent and start time.
Processes = dict[int, tuple[str, int, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user who has no key yet, under a host that does not name itself."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("GTP_VARIANTS_HOST", raising=False)
    monkeypatch.setattr(os, "getppid", lambda: 100)
    run_under(monkeypatch, {100: ("gogui", 1, "7")})
    return tmp_path / "gtp-variants"


def run_under(monkeypatch: pytest.MonkeyPatch, processes: Processes) -> None:
    monkeypatch.setattr(shared_dice_key, "_facts", processes.get)


def identity(monkeypatch: pytest.MonkeyPatch, processes: Processes) -> bytes:
    """What of the key names the host, where these processes run and process 100 started us."""
    run_under(monkeypatch, processes)
    return host_key()[32:]


def test_a_host_that_names_itself_needs_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTP_VARIANTS_HOST", "fenêtre 1")
    assert host_key() == "host fenêtre 1".encode()
    monkeypatch.setenv("GTP_VARIANTS_HOST", "")
    assert host_key() == b"host "
    assert not folder.exists()


def test_the_key_is_made_once_for_each_user(folder: Path) -> None:
    first = host_key()
    assert first[32:] == b"100 7"
    assert host_key() == first
    assert (folder / "host-key").read_bytes() == first[:32]
    assert [path.name for path in folder.iterdir()] == ["host-key"]
    (folder / "host-key").unlink()
    assert host_key()[:32] != first[:32]


def test_of_a_long_file_the_beginning_is_read(folder: Path) -> None:
    folder.mkdir()
    (folder / "host-key").write_bytes(bytes(range(100)))
    assert host_key() == bytes(range(64)) + b"100 7"


def test_the_first_of_several_new_processes_makes_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def come_first(own: Path, path: Path) -> None:
        path.write_bytes(b"k" * 32)
        raise FileExistsError

    monkeypatch.setattr(os, "link", come_first)
    assert host_key()[:32] == b"k" * 32
    assert [path.name for path in folder.iterdir()] == ["host-key"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_where_files_cannot_be_linked_the_key_is_private_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(own: Path, path: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    first = host_key()
    assert host_key() == first
    assert (folder / "host-key").read_bytes() == first[:32]
    assert (folder / "host-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["host-key"]


def test_without_a_place_for_files_the_host_alone_makes_the_key(folder: Path) -> None:
    folder.write_text("in the way", encoding="utf-8")
    assert host_key() == b"100 7"


def test_without_a_home_the_host_alone_makes_the_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert host_key() == b"100 7"


def test_the_host_is_the_nearest_program_that_is_no_wrapper(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = {100: ("sh", 90, "9"), 90: ("nice", 80, "8"), 80: ("gogui", 70, "5"), 70: ("bash", 1, "1")}
    assert identity(monkeypatch, window) == b"80 5"
    # What runs right under the first process of all is the host, whatever it is.
    assert identity(monkeypatch, {100: ("sh", 90, "9"), 90: ("sh", 1, "8")}) == b"90 8"
    assert identity(monkeypatch, {100: ("sh", 0, "9")}) == b"100 9"
    # Of some processes a system tells nothing.
    assert identity(monkeypatch, {100: ("sh", 90, "9")}) == b"90"
    assert identity(monkeypatch, {}) == b"100"


def test_the_search_for_the_host_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert identity(monkeypatch, {100: ("sh", 101, "1"), 101: ("sh", 100, "2")}) == b"100"
    shells = {pid: ("sh", pid - 1, "3") for pid in range(70, 101)}
    assert identity(monkeypatch, shells | {69: ("gogui", 1, "4")}) == b"69 4"
    assert identity(monkeypatch, shells | {69: ("sh", 68, "4"), 68: ("gogui", 1, "5")}) == b"68"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_linux_tells_of_a_process_its_name_parent_and_start() -> None:
    facts = shared_dice_key._facts(os.getpid())
    assert facts is not None
    name, parent, started = facts
    assert name == Path("/proc/self/comm").read_text(encoding="utf-8").strip()
    assert parent == os.getppid()
    # In ticks since the machine started, the twenty-second field of proc(5).
    up_s = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
    assert 0 < int(started) <= up_s * os.sysconf("SC_CLK_TCK")
    assert shared_dice_key._facts(2**22 + 1) is None
