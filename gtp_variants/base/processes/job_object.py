"""A helper program that runs an engine in a job object of Windows, which bounds and ends all that the engine starts.

The helper joins a new job and starts the engine within it. All processes that a process of the job starts belong to the
job. The helper has the only handle of the job: however the helper ends, Windows then ends all these processes.

Usage: python -I -S job_object.py PROCESSES COMMAND... It ends with the command's exit status. Needs Windows 8.
"""

import ctypes
import struct
import subprocess
import sys
from ctypes import c_void_p

# Of winnt.h: JOBOBJECT_EXTENDED_LIMIT_INFORMATION and its number; JOB_OBJECT_LIMIT_ACTIVE_PROCESS, _JOB_MEMORY and
# _KILL_ON_JOB_CLOSE.
LIMITS, _EXTENDED_LIMITS = struct.Struct("qqINNINII6Q4N"), 9
_ACTIVE_PROCESS, _JOB_MEMORY, _KILL_ON_CLOSE = 0x8, 0x200, 0x2000


def join_job(kernel32: ctypes.CDLL, processes: int) -> None:
    """Put this process into a new job. Together its processes use at most the computer's memory. Raises OSError."""
    kernel32.CreateJobObjectW.restype = kernel32.GetCurrentProcess.restype = c_void_p
    # A MEMORYSTATUSEX: its size of 64 bytes and the load in percent, each of 32 bits, then the physical memory.
    status = (ctypes.c_uint64 * 8)(64)
    kernel32.GlobalMemoryStatusEx(status)
    flags, memory = _ACTIVE_PROCESS | _JOB_MEMORY | _KILL_ON_CLOSE, min(status[1], sys.maxsize)
    limits = LIMITS.pack(0, 0, flags, 0, 0, processes, *[0] * 10, memory, 0, 0)
    job = c_void_p(kernel32.CreateJobObjectW(None, None))
    is_limited = kernel32.SetInformationJobObject(job, _EXTENDED_LIMITS, limits, LIMITS.size)
    if not is_limited or not kernel32.AssignProcessToJobObject(job, c_void_p(kernel32.GetCurrentProcess())):
        raise OSError("Windows refuses a job object")


def main(processes: str, *command: str) -> int:
    """Run a command in a job. Return its exit status as the signed number that `sys.exit` takes."""
    if sys.platform == "win32":
        join_job(ctypes.WinDLL("kernel32"), int(processes))
    status = subprocess.call(command, stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr)
    return ctypes.c_int32(status).value


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
