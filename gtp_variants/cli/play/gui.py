"""The command `gtp-variants gui`, which explains how to add our engine to GoGui and Sabaki, or starts GoGui."""

import argparse
import secrets
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from gtp_variants.base.folders import state_folder
from gtp_variants.cli.parser import STONES, CommandParser, add_strength_options, at_strength, has_strength, language_of
from gtp_variants.errors import VariantsError
from gtp_variants.gtp.hosts import GOGUI_PAGE, SABAKI_PAGE, Computer, for_gogui, for_shell, gogui_command, our_command
from gtp_variants.lang import RequestRefused, say
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
        sys.stdout.write(_page(rules, engine, gogui, computer, options.lang or LANGUAGES[0]))
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
    """Return the arguments for GoGui. Raises RequestRefused for a game that GoGui cannot show."""
    if len(rules.colours) != 2:
        raise RequestRefused("cli.gui_two_colours")
    if rules.board.width != rules.board.height:
        raise RequestRefused("cli.gui_square")
    if handicap and (rules.profile.is_go or rules.handicap == "none"):
        raise RequestRefused(f"cli.gui_{'own' if rules.profile.is_go else 'no'}_handicap", title=rules.title)
    size = ["-size", str(rules.board.width)] if rules.profile.is_go else []
    plays = computer_plays or _COLOUR_WORDS[rules.colours[1]]
    return ["-program", for_gogui(engine), *size, f"-computer-{plays}"]


def _page(rules: Rules, engine: Sequence[str], gogui: Sequence[str], computer: Computer, lang: str) -> str:
    if not rules.profile.captures_as_go or rules.board.width > _SABAKI_LARGEST:
        sabaki = say("cli.gui_saved_games", lang, title=rules.title)
    else:
        quirks = ["--off-line", "accept", "--tell"] if isinstance(rules, DicedRules) else []
        arguments = for_shell([*engine[1:], *quirks], computer.platform)
        sabaki = say("cli.gui_sabaki", lang, program=engine[0], arguments=arguments, size=rules.board.width)
    return say(
        "cli.gui_page",
        lang,
        title=rules.title,
        gogui_page=GOGUI_PAGE,
        gogui=for_shell(["gogui", *gogui], computer.platform),
        engine=for_gogui(engine),
        sabaki_page=SABAKI_PAGE,
        sabaki=sabaki,
    )


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
