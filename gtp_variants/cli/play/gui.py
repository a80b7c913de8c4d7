"""The command `gtp-variants gui`, which explains how to add our engine to GoGui and Sabaki, or starts GoGui."""

import argparse
import secrets
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants.base.folders import state_folder
from gtp_variants.cli.parser import STONES, CommandParser, add_strength_options, at_strength, has_strength, language_of
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.gtp.hosts import GOGUI_PAGE, SABAKI_PAGE, Computer, for_gogui, for_shell, gogui_command, our_command
from gtp_variants.players.bots import load, relocate
from gtp_variants.records.files import complain, write
from gtp_variants.rules import DEFAULT_SPEC, parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_SABAKI_LARGEST = 25
_SEED_BYTES = 16
_COLOUR_WORDS = {BLACK: "black", WHITE: "white"}


def main(arguments: Sequence[str], computer: Computer | None = None) -> int:
    """Print what to type or fill in, or start GoGui. Return the exit status."""
    options = parser().parse_args(arguments)
    computer = computer or Computer()
    # A Go program started from a desktop may lack the locale, so pass the language to the engine.
    options.lang = options.lang or (lang if (lang := language_of(options)) != LANGUAGES[0] else None)
    try:
        rules = parse(options.spec)
        if has_strength(options):
            options.bot = at_strength(options.bot or rules.profile.default_bot, options)
        if options.bot:
            # GoGui and Sabaki start the bot in another folder.
            options.bot = relocate(Path.cwd(), options.bot)
            load(options.bot)
        if not rules.is_open and options.view is None:
            options.view = {"black": "w", "both": "all", "none": "all"}.get(options.computer, "b")
        engine = [*our_command(computer), "gtp", options.spec, *_options(options)]
        gogui = _gogui_arguments(rules, engine, options.computer, options.handicap)
        if options.run:
            return subprocess.run([*gogui_command(computer), *gogui], check=False).returncode
        sys.stdout.write(_page(rules, engine, gogui, computer))
    except (VariantsError, OSError) as error:
        return complain("gui", error, options.lang or LANGUAGES[0])
    return 0


def _keep_seed(seed: str) -> Path:
    """Write the secret of the dice to a file that only the user can read, and return its path.

    On the command line it would not stay secret, because GoGui writes an engine's command into saved games.
    """
    folder = state_folder() / "seeds"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{secrets.token_hex(4)}.txt"
    write(file, f"{seed}\n".encode(), 0o600)
    return file


def _options(options: argparse.Namespace) -> list[str]:
    chosen = ["--seed-file", str(_keep_seed(options.seed or secrets.token_hex(_SEED_BYTES)))]
    if options.bot:
        chosen += ["--bot", options.bot]
    for name in ("view", "lang", "handicap"):
        if getattr(options, name):
            chosen += [f"--{name}", str(getattr(options, name))]
    if options.view in ("b", "w"):
        chosen.append("--veil")
    return chosen


def _gogui_arguments(rules: Rules, engine: Sequence[str], computer_plays: str | None, handicap: int) -> list[str]:
    """Return the arguments for GoGui. Raises ConfigError for a game that GoGui cannot show."""
    if len(rules.colours) != 2:
        raise ConfigError(["GoGui and Sabaki know only two colours; play three colours with `gtp-variants play`"])
    if rules.board.width != rules.board.height:
        raise ConfigError(["GoGui shows square boards only"])
    if handicap and (rules.profile.is_go or rules.handicap == "none"):
        why = "use GoGui's menu Game > Handicap" if rules.profile.is_go else "the game has none"
        raise ConfigError([f"--handicap: {rules.title}: {why}"])
    size = ["-size", str(rules.board.width)] if rules.profile.is_go else []
    plays = computer_plays or _COLOUR_WORDS[rules.colours[1]]
    return ["-program", for_gogui(engine), *size, f"-computer-{plays}"]


def _page(rules: Rules, engine: Sequence[str], gogui: Sequence[str], computer: Computer) -> str:
    return f"""\
{rules.title}, with a new secret for the dice. For another window, call this command again.

GoGui 1.6 ({GOGUI_PAGE})
  from a terminal:
    {for_shell(["gogui", *gogui], computer.platform)}
  or in its menu Program > New Program:
    Command            {for_gogui(engine)}
    Working directory  (leave it empty)

Sabaki ({SABAKI_PAGE})
{_for_sabaki(rules, engine, computer)}
"""


def _for_sabaki(rules: Rules, engine: Sequence[str], computer: Computer) -> str:
    if not rules.profile.captures_as_go or rules.board.width > _SABAKI_LARGEST:
        return f"""\
  It cannot play {rules.title}, but it shows saved games:
    gtp-variants diagram RECORD --sgf FILE"""
    quirks = ["--off-line", "accept", "--tell"] if isinstance(rules, DicedRules) else []
    return f"""\
  in Engines > Manage Engines > Add:
    Path               {engine[0]}
    Arguments          {for_shell([*engine[1:], *quirks], computer.platform)}
    Initial commands   (leave it empty)
  and in File > New: a board of {rules.board.width}x{rules.board.height}"""


def parser() -> CommandParser:
    made = CommandParser("gui")
    made.add_argument("spec", nargs="?", default=DEFAULT_SPEC, metavar="SPEC")
    made.add_argument("--run", action="store_true")
    made.add_argument("--bot", default="", metavar="NAME[:key=value,...]")
    add_strength_options(made)
    made.add_argument("--computer", choices=("black", "white", "both", "none"))
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--view", choices=("b", "w", "all"))
    made.add_argument("--handicap", type=STONES.read_whole, default=0, metavar="N")
    return made
