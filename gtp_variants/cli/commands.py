"""The table of commands, with their modules and examples, and the exit statuses. `lang/cli.toml` has the texts."""

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

PROGRAM = "gtp-variants"


class CommandFunctions(NamedTuple):
    """The functions of a command: `main` runs it with its arguments, and `parser` returns its parser."""

    main: Callable[..., int]
    parser: Callable[[], ArgumentParser]


# A function that imports the command with a given name.
CommandLoader = Callable[[str], CommandFunctions]

DONE = 0
# The command worked, but found something wrong, such as a record that fails its checks.
NOT_TRUE = 1
# The command was used wrongly, or a file or an engine cannot be used.
WRONG = 2
# A player in a match kept failing, a server refused the login, or another login replaced it.
STOPPED = 3
# The engine of a bridge kept failing.
ENGINE_FAILED = 4
# The user pressed Ctrl-C or stopped a match: 128 + SIGINT, as in shells.
INTERRUPTED = 130

STATUSES = {
    DONE: "status_done",
    NOT_TRUE: "status_not_true",
    WRONG: "status_wrong",
    STOPPED: "status_stopped",
    ENGINE_FAILED: "status_engine_failed",
    INTERRUPTED: "status_interrupted",
}


class CommandEntry(NamedTuple):
    """A command: its place in the package, and working examples.

    The `place` is a module below `gtp_variants.cli` with the functions `main` and `parser`, or `MODULE:NAME` for
    `CommandFunctions` in a module. The `aliases` are former names, which still work but are not shown. If
    `shows_commands` is True, `main` gets a `CommandLoader` as its second argument.
    """

    place: str
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    shows_commands: bool = False


# Heading (a key in `lang/cli.toml`) -> its commands by name, in the order in which the help lists them.
GROUPS: dict[str, dict[str, CommandEntry]] = {
    "group_play": {
        "play": CommandEntry(
            "play.play", ("play", "play rosette:n=5 --level 4", "play phantom:size=9 --two", "play --resume")
        ),
        "web": CommandEntry("play.serve", ("web", "web pentalath:players=3 --host 0.0.0.0"), ("serve",)),
        "gui": CommandEntry("play.gui", ("gui aleago:size=13", "gui rosette --run", "gui --for lizzieyzy")),
        "games": CommandEntry("play.rules:games", ("games", "games --lang fr")),
        "options": CommandEntry("play.rules:options", ("options aleago", "options pentalath --lang fr")),
        "rules": CommandEntry("play.rules", ("rules alter-igo", "rules aleago:size=9,dice=2d6 --lang fr")),
        "referee": CommandEntry("play.referee", ("referee", "referee phantom:size=13 --speak --lang fr")),
        "dice": CommandEntry("play.dice", ("dice 1d6", "dice 2d4 --log evening.jsonl")),
    },
    "group_records": {
        "replay": CommandEntry("records.show:replay", ("replay game.sgf", "replay game.json --seat w")),
        "diagram": CommandEntry(
            "records.show",
            ("diagram game.json --move 20", "diagram game.json --svg game.svg", "diagram game.json --sgf game.sgf"),
            ("show",),
        ),
        "verify": CommandEntry("records.verify", ("verify game.json",)),
    },
    "group_bots": {
        "gtp": CommandEntry(
            "engines.gtp", ("gtp aleago:size=9", "gtp go --bot mcts:seconds=5,threads=2", "gtp --as katago")
        ),
        "check-engine": CommandEntry(
            "engines.adapt:check_engine",
            ("check-engine --template > mybot.py", "check-engine -- python3 mybot.py"),
            ("check",),
        ),
        "adapt": CommandEntry("engines.adapt", ("adapt aleago:size=13 -- gnugo --mode gtp",)),
        "analysis": CommandEntry("engines.analysis", ("analysis --max-visits 500",)),
        "train": CommandEntry("engines.train", ("train go:size=9 --into nets/go9 --hours 2",)),
        "net": CommandEntry("engines.net", ("net nets/go9/weights/00050.safetensors",)),
        "bench": CommandEntry("engines.bench", ("bench", "bench --spec go:size=9 --seconds 5")),
    },
    "group_compete": {
        "match": CommandEntry(
            "compete.match",
            (
                "match aleago-first",
                "match aleago-first show",
                "match --variant aleago:size=9 --player bot:mcts:level=3 --player bot:greedy --pairs 2",
            ),
        ),
        "history": CommandEntry("compete.history", ("history out/monday out/tuesday --html history.html",)),
        "bridge": CommandEntry("compete.bridge", ("bridge cgos check", "bridge cgos")),
        "server": CommandEntry(
            "compete.server", ("server", "server aleago:size=13 --host 0.0.0.0", "server account Ann")
        ),
    },
    "group_help": {
        "help": CommandEntry("help.page", ("help play", "help spec", "help exit-status"), shows_commands=True),
        "doctor": CommandEntry("play.doctor", ("doctor",)),
        "completion": CommandEntry(
            "help.completion", ("completion bash", "completion zsh", "completion fish"), shows_commands=True
        ),
        "schema": CommandEntry("help.schema", ("schema match", "schema variant-state")),
        "man": CommandEntry("help.manual", ("man play", "man --into ~/.local/share/man/man1"), shows_commands=True),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
ALIASES = {alias: name for name, command in COMMANDS.items() for alias in command.aliases}


def called_as() -> str:
    """Return the program name as the user typed it, such as `.venv/bin/gtp-variants`, for use in suggested commands."""
    called = Path(sys.argv[0])
    if called.name != PROGRAM or shutil.which(PROGRAM) == str(called.absolute()):
        return PROGRAM
    return str(called)


def complete_name(word: str) -> str | None:
    """Return the current name of a command from its current or former name, or None for an unknown word."""
    return word if word in COMMANDS else ALIASES.get(word)


def run_command(name: str, arguments: Sequence[str], load: CommandLoader) -> int:
    """Run a command by its name and return its exit status."""
    main = load(name).main
    return main(arguments, load) if COMMANDS[name].shows_commands else main(arguments)
