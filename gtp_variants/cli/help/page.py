"""The command `gtp-variants help`: the list of commands, or help on a command or a topic."""

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap

from gtp_variants.cli.commands import COMMANDS, DONE, GROUPS, STATUSES, WRONG, CommandLoader, complete_name, run_command
from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.errors import SpecError
from gtp_variants.lang import say, sentences
from gtp_variants.rules import GAMES, GO, game_class, nearest_spec, parse
from gtp_variants.rules.options import did_you_mean

_WIDEST = 80
_ABOUT_A_GAME = ("rules", "options", "play", "web", "gui")
_EXAMPLES = ("play aleago", "play rosette:n=5 --level 4", "web", "gui pentalath", "match aleago-first")


def main(arguments: Sequence[str], load: CommandLoader) -> int:
    """Print a help page. Return 2 for an unknown command or topic."""
    options = parser().parse_args(arguments)
    lang = language_of(options)
    word = options.topic
    if word is None:
        sys.stdout.write(overview(lang))
        return DONE
    if word in TOPICS:
        sys.stdout.write(TOPICS[word](lang))
        return DONE
    name = complete_name(word)
    if name is not None:
        given = ["--lang", lang] if options.lang else []
        return run_command(name, [*given, "--help"], load)
    if (game := find_game(word)) is not None:
        sys.stdout.write(game_page(game, lang))
        return DONE
    sys.stderr.write(unknown_command(word, lang, [*COMMANDS, *TOPICS]))
    return WRONG


def parser() -> CommandParser:
    made = CommandParser("help")
    made.add_argument("topic", metavar="COMMAND", nargs="?")
    made.suggested["topic"] = [*COMMANDS, *TOPICS]
    return made


def unknown_command(word: str, lang: str, known: Sequence[str] | None = None) -> str:
    """Return two lines about an unknown command: the fault, with any suggestion from `known`, and how to get help."""
    near = did_you_mean(word, known or [*COMMANDS, *(f"help {topic}" for topic in TOPICS)], lang)
    if not near and (spec := nearest_spec(word)):
        near = did_you_mean(f"play {spec}", [f"play {spec}"], lang)
    return f"gtp-variants: {say('cli.unknown', lang, word=repr(word[:40]))}{near}\n{say('cli.all', lang)}\n"


def overview(lang: str) -> str:
    """Return the list of commands under their headings, one command per line."""
    lines = [say("cli.usage", lang), "", *_fill(say("cli.what", lang))]
    width = max(map(len, COMMANDS)) + 2
    for heading, commands in GROUPS.items():
        lines += ["", say(f"cli.{heading}", lang)]
        for name in commands:
            lines += _fill(does(name, lang), f"  {name:<{width}}")
    lines += ["", say("cli.group_examples", lang)]
    lines += [f"  gtp-variants {example}" for example in _EXAMPLES]
    return "\n".join([*lines, "", *_fill(say("cli.more", lang))]) + "\n"


def does(command: str, lang: str) -> str:
    """Return the purpose of a command, in a short phrase."""
    return say(f"cli.does_{command.replace('-', '_')}", lang)


def about(game: str, lang: str) -> str:
    """Return a game's summary, or "" if it has none."""
    key = f"about_{game.replace('-', '_')}"
    return say(f"cli.{key}", lang) if key in sentences("cli") else ""


def spec_page(lang: str) -> str:
    """Return the page about SPECs."""
    specs = [game_class(name).profile.small_spec for name in GAMES]
    lines = [*_fill(say("cli.spec_heading", lang)), "", *(f"  {spec}" for spec in specs), ""]
    return "\n".join([*lines, *_fill(say("cli.spec_rest", lang))]) + "\n"


def exit_status_page(lang: str) -> str:
    """Return the page with the table of exit statuses."""
    lines = [say("cli.status_heading", lang), ""]
    for status in STATUSES:
        lines += _fill(say(f"cli.status_{status}", lang), f"{status:>5}  ")
    return "\n".join(lines) + "\n"


def levels_page(lang: str) -> str:
    """Return the page on the meaning of each bot level."""
    from gtp_variants.players.levels import level_meanings

    meanings = level_meanings("mcts", parse(game_class(GO).profile.small_spec), lang)
    lines = [*_fill(say("cli.levels_heading", lang)), ""]
    return "\n".join([*lines, *(f"{number:>5}  {each}" for number, each in enumerate(meanings, 1))]) + "\n"


def find_game(word: str) -> str | None:
    """Return the name of the game that a word means, or None for any other word."""
    try:
        return game_class(word).name
    except SpecError:
        return None


def game_page(name: str, lang: str) -> str:
    """Return a page with a game's summary and the commands that explain or play the game."""
    game = game_class(name)
    lines = _fill(f"{game.title}. {about(name, lang)}".rstrip())
    width = max(map(len, _ABOUT_A_GAME)) + len(game.profile.small_spec) + 2
    for command in _ABOUT_A_GAME:
        spec = name if command in ("rules", "options") else game.profile.small_spec
        lines += _fill(does(command, lang), f"  {f'{command} {spec}':<{width}}")
    return "\n".join(lines) + "\n"


TOPICS = {"spec": spec_page, "levels": levels_page, "exit-status": exit_status_page}


def _fill(text: str, first: str = "") -> list[str]:
    """Return a text as lines for this terminal. It begins behind `first`, and all its lines are indented alike."""
    width, later = min(_WIDEST, max(40, get_terminal_size().columns)), " " * len(first)
    return wrap(text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
