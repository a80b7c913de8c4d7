"""The command `gtp-variants gui`, which explains how to add our engine to a program with a window, or starts GoGui."""

import argparse
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from gtp_variants.ai.nets.weight_choice import find_weights
from gtp_variants.base.folders import state_folder, user_path
from gtp_variants.base.json_values import Json
from gtp_variants.cli.parser import STONES, CommandParser, add_strength_options, at_strength, has_strength, language_of
from gtp_variants.errors import VariantsError
from gtp_variants.gtp.hosts import HOSTS, Computer, HostProgram, for_gogui, for_shell, gogui_command, our_command
from gtp_variants.lang import RequestRefused, say
from gtp_variants.players.bots import load, relocate
from gtp_variants.records.files import complain, write
from gtp_variants.rules import DEFAULT_SPEC, GO, parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

_SABAKI_LARGEST = 25
_SEED_BYTES = 16
_COLOUR_WORDS = {BLACK: "black", WHITE: "white"}


def main(arguments: Sequence[str], computer: Computer | None = None) -> int:
    """Print what to type or fill in, write a host's settings, or start GoGui. Return the exit status."""
    options = parser().parse_args(arguments)
    computer = computer or Computer()
    # A Go program started from a desktop may lack the locale, so pass the language to the engine.
    options.lang = options.lang or (lang if (lang := language_of(options)) != LANGUAGES[0] else None)
    try:
        return _run(options, computer, options.lang or LANGUAGES[0])
    except (VariantsError, OSError) as error:
        return complain("gui", error, options.lang or LANGUAGES[0])


def _run(options: argparse.Namespace, computer: Computer, lang: str) -> int:
    names = [options.host] if options.host else ["gogui"] if options.run else ["gogui", "sabaki"]
    if (options.run and names != ["gogui"]) or (options.write is not None and not options.host):
        raise RequestRefused("hosts.gui_which")
    spec = (GO if HOSTS[names[0]].plays_go_only else DEFAULT_SPEC) if options.spec is None else options.spec
    rules = parse(spec)
    engine = _engine(spec, rules, HOSTS[names[0]], options)
    if "gogui" in names:
        gogui = _gogui_arguments(rules, [*our_command(computer), *engine], options.computer, options.handicap)
    if options.run:
        return subprocess.run([*gogui_command(computer), *gogui], check=False).returncode
    page = say("hosts.gui_dice" if isinstance(rules, DicedRules) else "hosts.gui", lang, game=rules.title)
    for name in names:
        host = HOSTS[name]
        page += f"\n{host.title} ({host.page})\n"
        if name == "sabaki" and (not rules.profile.captures_as_go or rules.board.width > _SABAKI_LARGEST):
            refusal = RequestRefused("hosts.gui_sabaki_cannot", game=rules.title)
            if options.host:
                raise refusal
            page += f"  {refusal.reason(lang)}\n"
            continue
        parts = _parts(spec, rules, host, engine, computer)
        if name == "gogui":
            parts["shell"] = for_shell(["gogui", *gogui], computer.platform)
        page += say(f"hosts.gui_{name}", lang, **parts)
        entry = {key: parts.get(str(value).strip("{}"), value) for key, value in host.entry.items()}
        if options.write is not None:
            page = _write_settings(host, entry, options.write, computer, lang)
        elif options.host and entry:
            file = host.settings_file(computer) or say("hosts.gui_own_settings", lang)
            shown = host.add_entry("", entry).strip().replace("\n", "\n    ")
            page += say("hosts.gui_settings", lang, title=host.title, file=file, entry=shown)
    sys.stdout.write(page)
    return 0


def _engine(spec: str, rules: Rules, host: HostProgram, options: argparse.Namespace) -> list[str]:
    """Return the words after our program that start the engine. Raises RequestRefused if the host cannot use it."""
    if host.plays_go_only and not rules.profile.is_go:
        raise RequestRefused("hosts.gui_go_only", title=host.title, game=rules.title)
    if "gtp" not in host.starts:
        if options.bot or has_strength(options):
            raise RequestRefused("hosts.gui_strength", title=host.title)
        return list(host.starts)
    if has_strength(options):
        options.bot = at_strength(options.bot or rules.profile.default_bot, options)
    if options.bot:
        # Hosts start the bot in another folder, so make its path absolute.
        options.bot = relocate(Path.cwd(), options.bot)
        load(options.bot)
    if not rules.is_open and options.view is None:
        options.view = {"black": "w", "both": "all", "none": "all"}.get(options.computer, "b")
    words = [host.starts[0], spec]
    if options.seed or isinstance(rules, DicedRules) or not rules.is_open:
        words += ["--seed-file", str(_keep_seed(options.seed or secrets.token_hex(_SEED_BYTES)))]
    for name in ("bot", "view", "lang", "handicap"):
        if getattr(options, name):
            words += [f"--{name}", str(getattr(options, name))]
    if options.view in ("b", "w"):
        words.append("--veil")
    return [*words, *host.starts[1:]]


def _parts(spec: str, rules: Rules, host: HostProgram, engine: Sequence[str], computer: Computer) -> Json:
    """Return the values of a host's placeholders by name. Raises RequestRefused if the host cannot start the engine."""
    ours = our_command(computer)
    if not host.starts and len(ours) > 1:
        raise RequestRefused("hosts.gui_one_program", title=host.title, command=for_shell(ours, computer.platform))
    program, *arguments = [*ours, *engine, *(host.with_dice if isinstance(rules, DicedRules) else ())]
    return {
        "name": f"gtp-variants {spec}",
        "program": program,
        "command": host.quote([program, *arguments], computer.platform) if host.quoting != "plain" else "",
        "arguments": host.quote(arguments, computer.platform),
        "width": rules.board.width,
        "height": rules.board.height,
        "komi": rules.komi,
        "weights": str(find_weights(rules) or program),
    }


def _keep_seed(seed: str) -> Path:
    """Write the secret to a new file for the user alone, and return its path. GoGui would save a command's secret."""
    folder = state_folder() / "seeds"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / f"{secrets.token_hex(4)}.txt"
    write(file, f"{seed}\n".encode(), 0o600)
    return file


def _gogui_arguments(rules: Rules, engine: Sequence[str], computer_plays: str | None, handicap: int) -> list[str]:
    """Return the arguments for GoGui. Raises RequestRefused for a game or handicap that GoGui cannot show."""
    if len(rules.colours) != 2:
        raise RequestRefused("cli.gui_two_colours")
    if rules.board.width != rules.board.height:
        raise RequestRefused("cli.gui_square")
    if handicap and (rules.profile.is_go or rules.handicap == "none"):
        raise RequestRefused(f"cli.gui_{'own' if rules.profile.is_go else 'no'}_handicap", title=rules.title)
    size = ["-size", str(rules.board.width)] if rules.profile.is_go else []
    return ["-program", for_gogui(engine), *size, f"-computer-{computer_plays or _COLOUR_WORDS[rules.colours[1]]}"]


def _write_settings(host: HostProgram, entry: Json, asked: str, computer: Computer, lang: str) -> str:
    """Add an entry to a host's settings, keep a backup, and return a sentence. Raises RequestRefused without a file."""
    file = user_path(asked) if asked else host.settings_file(computer)
    if not entry or file is None:
        raise RequestRefused("hosts.gui_no_place" if entry else "hosts.gui_no_settings", title=host.title)
    if not file.is_file():
        raise RequestRefused("hosts.gui_no_file", title=host.title, file=file)
    text = host.add_entry(file.read_text(encoding="utf-8-sig"), entry)
    backup = next(free for n in count(1) if not (free := file.with_name(f"{file.name}.{n}.bak")).exists())
    shutil.copy2(file, backup)
    write(file, text.encode(), file.stat().st_mode & 0o777)
    return say("hosts.gui_written", lang, title=host.title, file=file, backup=backup)


def parser() -> CommandParser:
    made = CommandParser("gui")
    made.add_argument("spec", nargs="?", metavar="SPEC")
    made.add_argument("--for", dest="host", choices=tuple(HOSTS))
    made.add_argument("--write", nargs="?", const="", metavar="FILE")
    made.add_argument("--run", action="store_true")
    made.add_argument("--bot", default="", metavar="NAME[:key=value,...]")
    add_strength_options(made)
    made.add_argument("--computer", choices=("black", "white", "both", "none"))
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--view", choices=("b", "w", "all"))
    made.add_argument("--handicap", type=STONES.read_whole, default=0, metavar="N")
    return made
