"""The limits of a player on Windows: the calls are compared with the documentation, as no test runs on Windows."""

import ctypes
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.base.processes import job_object
from gtp_variants.base.processes.wall import JOB_OBJECT, VARIABLE, WALL

GIB = 2**30


class Kernel32:
    """The functions of kernel32.dll that make a job object. It notes what each is given."""

    def __init__(self, refused: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        for name in ("GlobalMemoryStatusEx", "CreateJobObjectW", "SetInformationJobObject"):
            setattr(self, name, self.function(name, int(name != refused)))
        self.AssignProcessToJobObject = self.function("AssignProcessToJobObject", 1)
        self.GetCurrentProcess = self.function("GetCurrentProcess", 2**64 - 1)

    def function(self, name: str, answer: int) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(
                (name, *(each.value if isinstance(each, ctypes.c_void_p) else each for each in arguments))
            )
            if name == "GlobalMemoryStatusEx":
                # A MEMORYSTATUSEX begins with its size in bytes and ends after seven numbers of 64 bits.
                assert struct.unpack_from("<I", arguments[0]) == (64,) == (ctypes.sizeof(arguments[0]),)
                struct.pack_into("<IIQ", arguments[0], 0, 64, 50, 16 * GIB)
            return answer

        return call


def test_job_has_the_limits_of_microsofts_structure() -> None:
    kernel32 = Kernel32()
    job_object.join_job(kernel32, 4096)  # type: ignore[arg-type]
    _, create, limit, _, assign = kernel32.calls
    assert create == ("CreateJobObjectW", None, None)
    name, job, number, limits, size = limit
    # JobObjectExtendedLimitInformation is 9; JOBOBJECT_EXTENDED_LIMIT_INFORMATION has 144 bytes on 64-bit Windows.
    assert (name, job, number, size, len(limits)) == ("SetInformationJobObject", 1, 9, 144, 144)
    # KILL_ON_JOB_CLOSE 0x2000, JOB_MEMORY 0x200, ACTIVE_PROCESS 8 at LimitFlags; ActiveProcessLimit; JobMemoryLimit.
    assert struct.unpack_from("<I", limits, 16) == (0x2208,)
    assert struct.unpack_from("<I", limits, 40) == (4096,)
    assert struct.unpack_from("<Q", limits, 120) == (16 * GIB,)
    assert sum(limits) == 0x22 + 0x08 + 0x10 + 0x04
    assert assign == ("AssignProcessToJobObject", 1, 2**64 - 1)


def test_refused_limits_are_an_error() -> None:
    with pytest.raises(OSError, match="Windows refuses a job object"):
        job_object.join_job(Kernel32("SetInformationJobObject"), 4096)  # type: ignore[arg-type]


def test_helper_passes_on_input_output_and_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, JOB_OBJECT)
    code = "import sys; print(sys.stdin.read()); sys.exit(3)"
    command = WALL.enclose([sys.executable, "-c", code], Path(), os.environ)
    done = subprocess.run(command, input="words", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "words\n")


@pytest.mark.parametrize(("status", "signed"), [(3, 3), (0xC0000005, 0xC0000005 - 2**32)])
def test_exit_status_of_windows_fits_into_a_signed_number(
    monkeypatch: pytest.MonkeyPatch, status: int, signed: int
) -> None:
    monkeypatch.setattr(subprocess, "call", lambda *words, **more: status)
    assert job_object.main("1", "engine") == signed
