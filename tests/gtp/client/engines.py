"""Small engine processes, for tests of GTP clients."""

import sys
from pathlib import Path

from tests.support.programs import COMMAND

# Plays Go on a board it does not look at: the first free point of `order`, or what it was told to answer. Its first
# argument are commands it has beside the required ones, the others are its answers to genmove in turn.
GO = r"""
import sys
extra, answers = sys.argv[1].split(), sys.argv[2:]
known = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove".split()
known += extra
stones, size = [], 9
def points():
    return [f"{c}{r}" for r in range(1, size + 1) for c in "ABCDEFGHJKLMNOPQRST"[:size]]
def reply(text, mark="="):
    print(f"{mark}{number} {text}", end="\n\n", flush=True)
def answer(command, *words):
    global stones, size
    if command not in known:
        reply("unknown command", "?")
    elif command == "protocol_version":
        reply(2)
    elif command == "name":
        reply("Simple")
    elif command == "list_commands":
        reply("\n".join(known))
    elif command == "known_command":
        reply(str(words[0] in known).lower())
    elif command == "boardsize":
        size = int(words[0])
        reply("" if size < 14 else "unacceptable size", "=" if size < 14 else "?")
    elif command == "clear_board":
        stones = []
        reply("")
    elif command == "undo":
        stones.pop()
        reply("")
    elif command == "play":
        stones.append(words[1])
        reply("")
    elif "genmove" in command:
        allowed = points()
        if "allow" in words:
            allowed = words[words.index("allow") + 2].split(",")
        elif command == "restricted_genmove":
            allowed = words[1:]
        move = answers.pop(0) if answers else next((p for p in allowed if p not in stones), "pass")
        if move != "resign":
            stones.append(move)
        reply(f"\ninfo move {move} visits 1\nplay {move}" if "analyze" in command else move)
    else:
        reply("")
for line in sys.stdin:
    words = line.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdigit() else ""
    if not words:
        continue
    try:
        answer(*words)
    except (IndexError, ValueError):
        reply("syntax error", "?")
    if words[0] == "quit":
        break
"""


def go_engine(extra: str = "", *answers: str) -> tuple[str, ...]:
    """The command of an engine that knows Go, some commands more, and what it answers first."""
    return (sys.executable, "-c", GO, extra, *answers)


def our_engine(*arguments: str) -> tuple[str, ...]:
    """The command of an engine of ours."""
    return (*COMMAND, "gtp", *arguments)


def talk_of(file: Path) -> list[str]:
    """The commands and answers of a talk, without their times."""
    return [line[10:] for line in file.read_text(encoding="utf-8").splitlines()]
