"""A GTP program with one of many faults."""

from types import SimpleNamespace

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from tests.support.watch import Watch

# Plays the first free points of the board; instead of its third move it shows the fault named by its argument. Each
# of its processes writes its process id into a file.
ENGINE = r"""
import os, signal, subprocess, sys, time
fault, pids = sys.argv[1], open(sys.argv[2], "a")
def note(pid):
    pids.write(f"{pid}\n")
    pids.flush()
note(os.getpid())
out = sys.stdout.buffer
def say(data):
    out.write(data)
    out.flush()
def forever():
    while True:
        time.sleep(1000)
free = [f"{column}{row}" for row in "12345" for column in "ABCDE"]
moves = 0
if fault == "clings":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if fault == "silent from the start":
    forever()
if fault == "not GTP":
    say(b"Welcome to my engine 1.0\n")
number = ""
for line in sys.stdin:
    words = line.split()
    if fault == "other id":
        number = words.pop(0) if words[0].isdigit() else ""
    if words[0] == "play" and words[2] in free:
        free.remove(words[2])
    if words[0] in ("list_commands", "known_command"):
        say(f"={number} genmove play boardsize komi clear_board name undo\n\n".encode())
        continue
    if words[0] != "genmove":
        if fault == "refuses play" and words[0] == "play" and moves == 2:
            say(b"? I do not like it\n\n")
        elif fault == "long name" and words[0] == "name":
            say(b"= " + b"x" * 100_000 + b"\n\n")
        elif words[0] == "quit" and fault in ("clings", "hangs in quit"):
            forever()
        elif words[0] == "quit" and fault == "crashes in quit":
            os.abort()
        else:
            say(f"={number} \n\n".encode())
        if words[0] == "quit":
            break
        continue
    moves += 1
    move = free.pop(0).encode()
    if moves < 3:
        say(f"={number} ".encode() + move + b"\n\n")
        continue
    if fault == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "other id":
        say(b"=99 " + move + b"\n\n")
    elif fault == "exit":
        os._exit(3)
    elif fault == "abort":
        os.abort()
    elif fault == "hang":
        forever()
    elif fault == "garbage":
        say(b"hello\n\n")
    elif fault == "slow":
        time.sleep(0.8)
        say(b"= " + move + b"\n\n")
    elif fault == "late":
        # It answers only when it is told to quit.
        sys.stdin.readline()
        say(b"= " + move + b"\n\n")
    elif fault == "half and ends":
        say(b"= A")
        os._exit(0)
    elif fault == "half and hangs":
        say(b"= A")
        forever()
    elif fault == "flood of stderr":
        for _ in range(50):
            sys.stderr.write("x" * 1_000_000)
        say(b"= " + move + b"\n\n")
    elif fault == "flood of stdout":
        while True:
            say(b"# thinking\n" * 1000)
    elif fault == "flood of an answer":
        say(b"= ")
        while True:
            say(b"0123456789" * 1000)
    elif fault == "flood of nothing":
        while True:
            say(b"\0\r" * 10000)
    elif fault == "100 kB":
        say(b"= " + b"x" * 100_000 + b"\n\n")
    elif fault == "100 MB":
        for _ in range(100):
            say(b"= " if not _ else b"x" * 1_000_000)
        say(b"\n\n")
    elif fault == "clings":
        forever()
    elif fault == "forks and exits":
        note(subprocess.Popen(["sleep", "1000"]).pid)
        os._exit(0)
    elif fault == "closes stdout":
        os.close(1)
        forever()
    elif fault == "closes stdin":
        os.close(0)
        say(b"= " + move + b"\n\n")
        forever()
    elif fault == "binary":
        say(bytes(range(256)) + b"\n\n")
    elif fault == "NUL bytes":
        say(b"\0= \0" + move[:1] + b"\0" + move[1:] + b"\0\n\0\n")
    elif fault == "refuses genmove":
        say(b"? cannot\n\n")
    elif fault == "occupied":
        say(b"= A1\n\n")
    elif fault == "off the board":
        say(b"= Z9\n\n")
    elif fault == "wrong colour":
        say(b"= " + words[1].encode() + b" " + move + b"\n\n")
    elif fault == "empty":
        say(b"= \n\n")
    elif fault == "twice":
        say(b"= " + move + b"\n\n= " + move + b"\n\n")
    elif fault == "no vertex":
        say(b"= I9\n\n")
    elif fault == "tells of itself":
        say(b"= " + move + b"\n\nDEBUG 42 nodes\n")
    else:
        say(b"= " + move + b"\n\n")
"""


def end_patience_at_half_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time for an answer be over as soon as half of it has come. Until then no time goes by."""
    watch, read = Watch(), ProcessChannel.read

    def read_and_watch(channel: ProcessChannel, timeout_s: float) -> bytes | None:
        chunk = read(channel, timeout_s)
        if chunk == b"= A":
            watch.now_s += 3600.0
        return chunk

    monkeypatch.setattr(ProcessChannel, "read", read_and_watch)
    monkeypatch.setattr("gtp_variants.gtp.client.peer.time", SimpleNamespace(monotonic=watch))
