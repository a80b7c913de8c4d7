"""The command `gtp-variants play`: a person against a bot, or people at one keyboard."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gtp_variants.bot_process.player import describe
from gtp_variants.errors import ConfigError, NotationError, RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.players import bots
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.players.participants import BOT, PERSON, Participant
from gtp_variants.records.files import complain, load_record
from gtp_variants.records.record import Record
from gtp_variants.rules import find_games, parse, words
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.turn_rules import others
from gtp_variants.terminal.display.conversation import converse
from gtp_variants.terminal.display.screen import TerminalScreen
from gtp_variants.terminal.games.commands import colour_of
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.save_file import PLAY, POLICY, GamesFolder, is_save_file, list_games, resume


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status: 0, or 2 for what cannot be played."""
    options = _parser().parse_args(arguments)
    folder = GamesFolder()
    try:
        if options.list:
            return list_games(folder, PLAY, options.lang)
        if options.resume is not None and not _is_record(options.resume):
            _expect_nothing_else(options)
            file, game = resume(folder, PLAY, options.resume)
            session = PlaySession(file, game)
        else:
            record = _new(options) if options.resume is None else _load(options)
            rules = record.game.rules
            game = HostedGame.new(record, _seats(rules, options), POLICY, notes={"kind": PLAY})
            if not rules.is_open and len(game.people) > 1:
                _expect_clearing(rules.lang)
            has_seed = options.seed is not None and isinstance(rules, DicedRules)
            session = PlaySession(folder.new(rules.name), game, has_seed)
        converse(session, options.resume is not None)
    except (OSError, RuntimeError, VariantsError) as error:
        return complain("play", error)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gtp-variants play",
        description="Play a game in the terminal, against a bot or by several people at one keyboard. "
        "Every move is kept at once: after a crash --resume goes on, with the same dice.",
    )
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the game and its options; aleago if left out")
    parser.add_argument("--bot", metavar="NAME", help="who plays against you; the strongest of ours if left out")
    parser.add_argument("--as", dest="colour", metavar="COLOUR", help="your colour; the one that begins if left out")
    parser.add_argument("--two", action="store_true", help="people play all colours at one keyboard")
    parser.add_argument("--level", metavar="N", help="how strong the bot plays, for mcts 1 to 10")
    parser.add_argument("--seed", metavar="TEXT", help="a secret of your own for the dice instead of 32 random bytes")
    parser.add_argument(
        "--resume",
        metavar="GAME",
        nargs="?",
        const="",
        help="go on with a kept game (the last one) or a saved file",
    )
    parser.add_argument("--list", action="store_true", help="list the games that are kept")
    parser.add_argument("--lang", choices=words.LANGUAGES, default="en")
    return parser


def _expect_nothing_else(options: argparse.Namespace) -> None:
    """A kept game goes on as it was begun. Raises NotationError that names what would be another game."""
    asked = {
        "SPEC": options.spec,
        "--bot": options.bot,
        "--as": options.colour,
        "--two": options.two,
        "--level": options.level,
        "--seed": options.seed,
    }
    given = [name for name, value in asked.items() if value]
    if given:
        raise NotationError(f"--resume goes on with a game as it was begun: leave {', '.join(given)} away")


def _new(options: argparse.Namespace) -> Record:
    return new_record(
        parse(options.spec or find_games(lambda game: issubclass(game, DicedRules))[0], {"lang": options.lang}),
        options.seed,
    )


def _is_record(name: str) -> bool:
    """Whether a name is that of a saved game, and not of one that is kept."""
    path = Path(name).expanduser()
    if not path.is_file():
        return False
    return path.suffix.lower() in (".sgf", ".json") and not is_save_file(path)


def _load(options: argparse.Namespace) -> Record:
    """A saved game to be played on. Raises RecordError if it is over or its dice are not in the file."""
    path = Path(options.resume).expanduser()
    if options.spec or options.seed:
        raise NotationError(f"{path}: the file says which game it is: leave SPEC and --seed away")
    game = load_record(path).game
    if isinstance(game.rules, DicedRules):
        raise RecordError(f"{path}: the secret of its dice is not in the file; a kept game goes on, see --list")
    if game.rules.is_final(game.position):
        raise RecordError(f"{path}: the game is over")
    return replace(new_record(game.rules), game=game)


def _seats(rules: Rules, options: argparse.Namespace) -> dict[int, Participant]:
    """Who plays, as the options ask for. Raises NotationError or ConfigError for what cannot be."""
    if options.two and (options.bot or options.colour or options.level):
        raise NotationError("with --two no bot plays: leave --bot, --as and --level away")
    colour = colour_of(rules, "--as", options.colour) if options.colour else rules.colours[0]
    people = dict.fromkeys(rules.colours, Participant(PERSON))
    if options.two:
        return people
    # A file of the user's is found again from wherever the game goes on.
    bot = bots.relocate(Path.cwd(), options.bot or rules.default_bot)
    if options.level is not None:
        bot = _at_level(bot, options.level)
    # One that cannot be loaded is found out before there is anything to keep.
    describe(bot)
    return people | dict.fromkeys(others(rules.colours, colour), Participant(BOT, bot))


def _at_level(bot: str, level: str) -> str:
    """The bot at a level. Raises NotationError if it has none."""
    if "level" not in describe(bot).parameters:
        raise NotationError(f"--level {level[:20]}: the bot {bot} has no levels")
    return bots.with_parameter(bot, "level", level)


def _expect_clearing(lang: str) -> None:
    if not TerminalScreen(lang).can_clear:
        raise ConfigError([say("terminal.no_clear", lang)])
