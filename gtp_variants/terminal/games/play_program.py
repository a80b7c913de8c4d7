"""The command `gtp-variants play`: a person against a bot, or people at one keyboard."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gtp_variants.errors import ConfigError, NotationError, RecordError, VariantsError
from gtp_variants.lang import say
from gtp_variants.players import bots
from gtp_variants.records.files import complain, load_record
from gtp_variants.records.record import Record
from gtp_variants.rules import parse, words
from gtp_variants.rules.turns import others
from gtp_variants.terminal.display.conversation import converse
from gtp_variants.terminal.display.screen import Screen
from gtp_variants.terminal.games.commands import colour_of
from gtp_variants.terminal.games.host import begun, has_dice
from gtp_variants.terminal.games.play_session import PlaySession
from gtp_variants.terminal.games.save_file import FORMAT as KEPT_FORMAT, PLAY, Kept, Shelf, list_games, resumed


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit status: 0, or 2 for what cannot be played."""
    options = _parser().parse_args(arguments)
    shelf = Shelf()
    try:
        if options.list:
            return list_games(shelf, PLAY, options.lang)
        if options.resume is not None and not _is_record(options.resume):
            _expect_nothing_else(options)
            slot, kept = resumed(shelf, PLAY, options.resume)
            session = PlaySession(slot, kept)
        else:
            kept = _as_asked(_begun(options) if options.resume is None else _loaded(options), options)
            rules = kept.record.game.rules
            if not rules.is_open and not kept.bots:
                _expect_clearing(rules.lang)
            session = PlaySession(shelf.new(rules.name), kept, options.seed is not None and has_dice(rules))
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


def _begun(options: argparse.Namespace) -> Record:
    return begun(parse(options.spec or "aleago", {"lang": options.lang}), options.seed)


def _is_record(name: str) -> bool:
    """Whether a name is that of a saved game, and not of one that is kept."""
    path = Path(name).expanduser()
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix.lower() in (".sgf", ".json") and KEPT_FORMAT.encode() not in file.read(100)


def _loaded(options: argparse.Namespace) -> Record:
    """A saved game to be played on. Raises RecordError if it is over or its dice are not in the file."""
    path = Path(options.resume).expanduser()
    if options.spec or options.seed:
        raise NotationError(f"{path}: the file says which game it is: leave SPEC and --seed away")
    game = load_record(path).game
    if has_dice(game.rules):
        raise RecordError(f"{path}: the secret of its dice is not in the file; a kept game goes on, see --list")
    if game.rules.is_final(game.position):
        raise RecordError(f"{path}: the game is over")
    return replace(begun(game.rules), game=game)


def _as_asked(record: Record, options: argparse.Namespace) -> Kept:
    """A game with the players that the options ask for. Raises NotationError or ConfigError for what cannot be."""
    rules = record.game.rules
    if options.two and (options.bot or options.colour or options.level):
        raise NotationError("with --two no bot plays: leave --bot, --as and --level away")
    colour = colour_of(rules, "--as", options.colour) if options.colour else rules.colours[0]
    # A file of the user's is found again from wherever the game goes on.
    bot = bots.seen_from(Path.cwd(), options.bot or bots.default(rules))
    if options.two:
        return Kept(record)
    if options.level is not None:
        bot = _at_level(bot, options.level)
    # One that cannot be loaded is found out before there is anything to keep.
    bots.load(bot)
    return Kept(record, bots=dict.fromkeys(others(rules.colours, colour), bot))


def _at_level(bot: str, level: str) -> str:
    """The bot at a level. Raises NotationError if it has none."""
    if "level" not in bots.parameters(bots.load(bot)):
        raise NotationError(f"--level {level[:20]}: the bot {bot} has no levels")
    return bots.with_parameter(bot, "level", level)


def _expect_clearing(lang: str) -> None:
    if not Screen(lang).can_clear:
        raise ConfigError([say("terminal.no_clear", lang)])
