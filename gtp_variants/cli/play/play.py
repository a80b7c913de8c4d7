"""The command `gtp-variants play`, for a game against a bot, or between people at one keyboard."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from gtp_variants.base.folders import user_path
from gtp_variants.base.processes.cores import usable_cores
from gtp_variants.cli.parser import CommandParser, add_strength_options, at_strength, has_strength, language_of
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.gtp.client.isolated_bot import explain_refusal
from gtp_variants.lang import RequestRefused, say
from gtp_variants.players import bots
from gtp_variants.players.agreements import BOT, PERSON, Participant
from gtp_variants.players.clock import TimeControl
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.players.levels import find_bot_by_title
from gtp_variants.records.files import load_record
from gtp_variants.records.record import Record
from gtp_variants.records.sentences import in_language
from gtp_variants.rules import AMONG_PEOPLE, find_games, parse
from gtp_variants.rules.game import Game
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.rules.turn_rules import others
from gtp_variants.terminal.fullscreen.themes import DEFAULT, PLAIN, THEMES
from gtp_variants.terminal.games.commands import colour_of
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.save_file import PLAY, POLICY, GamesFolder, is_save_file, list_games, resume
from gtp_variants.terminal.signals import end_in_order

_POOR_TERMINALS = ("", "dumb", "unknown")


def main(arguments: Sequence[str]) -> int:
    """Play a game to its end or until the player leaves, or list unfinished games. Raises OSError or VariantsError."""
    options = parser().parse_args(arguments)
    options.lang = language_of(options)
    folder = GamesFolder()
    if options.list:
        return list_games(folder, PLAY, options.lang)
    if options.resume is not None and not _is_record(options.resume):
        _expect_nothing_else(options)
        session = PlaySession(*resume(folder, PLAY, options.resume), cores=usable_cores())
    else:
        record = _new(options) if options.resume is None else _load(options)
        rules = record.game.rules
        seats = _seats(record, options)
        game = HostedGame.new(record, seats, POLICY, options.time, notes={"kind": PLAY})
        if not rules.is_open and len(game.people) > 1:
            from gtp_variants.terminal.screen import TerminalScreen

            if not TerminalScreen(rules.lang).can_clear:
                raise RequestRefused("terminal.no_clear")
        has_seed = options.seed is not None and isinstance(rules, DicedRules)
        replaced = _find_absent_players(record, seats, options)
        session = PlaySession(folder.new(rules.name), game, has_seed, usable_cores(), replaced)
    is_resumed = options.resume is not None
    if not options.plain and _can_fill_screen():
        _play_on_whole_screen(session, is_resumed, options.theme)
    else:
        from gtp_variants.terminal.screen import converse

        converse(session, is_resumed)
    return 0


def _can_fill_screen() -> bool:
    """Return True if this terminal supports a full-screen display, and the extra `terminal` is installed."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or find_spec("prompt_toolkit") is None:
        return False
    return sys.platform == "win32" or os.environ.get("TERM", "") not in _POOR_TERMINALS


def _play_on_whole_screen(session: PlaySession, is_resumed: bool, theme: str) -> None:
    """Play on the full screen, and then show the result on the terminal's normal screen."""
    from gtp_variants.terminal.fullscreen.client import FullscreenClient

    if os.environ.get("NO_COLOR"):
        theme = PLAIN
    with end_in_order(), _hold_errors():
        client = FullscreenClient(session, is_resumed, theme)
        session = client.run()
    from gtp_variants.terminal.screen import TerminalScreen

    screen = TerminalScreen(session.lang)
    screen.show_all(session.last_words(client.result) if session.is_finished else session.host.release())


@contextmanager
def _hold_errors() -> Iterator[None]:
    """Keep output on standard error, including the output of bots, off the screen, and print it after the game."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(before, 2)
            os.close(before)
            kept.seek(0)
            sys.stderr.write(kept.read().decode(errors="replace"))
            sys.stderr.flush()


def parser() -> CommandParser:
    made = CommandParser("play")
    made.add_argument("spec", metavar="SPEC", nargs="?")
    made.add_argument("--bot", metavar="NAME")
    made.add_argument("--as", dest="colour", metavar="COLOUR")
    made.add_argument("--two", action="store_true")
    add_strength_options(made)
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--resume", metavar="GAME", nargs="?", const="")
    made.add_argument("--time", type=_read_control, metavar="TIME", default=TimeControl())
    made.add_argument("--plain", action="store_true")
    made.add_argument("--theme", choices=tuple(THEMES), default=DEFAULT)
    made.add_argument("--list", action="store_true")
    return made


def _read_control(text: str) -> TimeControl:
    # Imported late, so that the first board appears sooner.
    from gtp_variants.players.config_readers import control

    return control(text)


def _expect_nothing_else(options: argparse.Namespace) -> None:
    """Raise RequestRefused if options would change an unfinished game that is being resumed."""
    words = ("spec", "bot", "colour", "two", "level", "seconds", "playouts", "seed")
    names = {"spec": "SPEC", "colour": "--as"}
    given = [names.get(word, f"--{word}") for word in words if getattr(options, word)]
    given += ["--time"] if options.time.kind != "none" else []
    if given:
        raise RequestRefused("cli.resume_alone", given=", ".join(given))


def _new(options: argparse.Namespace) -> Record:
    spec = options.spec or find_games(lambda game: issubclass(game, DicedRules))[0]
    return new_record(parse(spec, {**AMONG_PEOPLE, "lang": options.lang}), options.seed)


def _is_record(name: str) -> bool:
    """Return True if a name refers to a saved record, not to an unfinished game."""
    path = user_path(name)
    return path.is_file() and path.suffix.lower() in (".sgf", ".json") and not is_save_file(path)


def _load(options: argparse.Namespace) -> Record:
    """Return a saved record to continue. Raises RequestRefused if it is over, has dice or comes with a SPEC or seed."""
    path = user_path(options.resume)
    if options.spec or options.seed:
        raise RequestRefused("cli.saved_game_alone", path=path)
    record = load_record(path)
    game = record.game
    if isinstance(game.rules, DicedRules):
        raise RequestRefused("cli.no_secret", path=path)
    if game.rules.is_final(game.position):
        raise RequestRefused("cli.saved_game_over", path=path)
    rules = in_language(game.rules, options.lang)
    moved = Game.replay(rules, game.events, game.setup, game.first)
    return replace(new_record(rules), game=moved, players=record.players)


def _seats(record: Record, options: argparse.Namespace) -> dict[int, Participant]:
    """Return the players that the options request, or else the saved game's. Raises VariantsError if invalid."""
    rules = record.game.rules
    if options.two and (options.bot or options.colour or has_strength(options)):
        raise RequestRefused("cli.two_alone")
    people = dict.fromkeys(rules.colours, Participant(PERSON))
    words_for_person = {say("terminal.person", lang) for lang in LANGUAGES}
    names = {record.players.get(colour) for colour in rules.colours}
    is_chosen = options.bot or options.colour or has_strength(options)
    if options.two or (not is_chosen and names <= words_for_person):
        return people
    bots_before = {colour: bot for colour, name in record.players.items() if (bot := _find_bot(name, rules))}
    if options.colour:
        person = colour_of(rules, "--as", options.colour)
    else:
        person = next((colour for colour in rules.colours if colour not in bots_before), rules.colours[0])
    seated = others(rules.colours, person)
    return people | {colour: Participant(BOT, _bot(rules, options, bots_before.get(colour))) for colour in seated}


def _bot(rules: Rules, options: argparse.Namespace, before: str | None) -> str:
    """Return the requested bot, or the bot that played before, or the default. Raises ConfigError if it is unfit."""
    if before is not None and has_strength(options):
        before = bots.split(before)[0]
    # A bot in a file gets its full path, because the game may be resumed in another folder.
    bot = at_strength(bots.relocate(Path.cwd(), options.bot or before or rules.profile.default_bot), options)
    # Check the bot before the game is saved.
    if refusal := explain_refusal(bot, rules):
        raise ConfigError([refusal])
    return bot


def _find_bot(name: str, rules: Rules) -> str | None:
    """Return our bot with a name from a record, or None if no such bot can play the game."""
    bot = find_bot_by_title(name)
    try:
        return bot if bot is not None and not explain_refusal(bot, rules) else None
    except (ConfigError, NotationError):
        return None


def _find_absent_players(
    record: Record, seats: Mapping[int, Participant], options: argparse.Namespace
) -> dict[int, str]:
    """Return the players named in a record whom a bot replaces although the user did not ask for a bot."""
    named = {} if options.bot or has_strength(options) else record.players
    return {
        colour: name
        for colour, name in named.items()
        if name.strip() and seats[colour].kind == BOT and _find_bot(name, record.game.rules) is None
    }
