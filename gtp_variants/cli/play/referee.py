"""The command `gtp-variants referee`, a referee for two people who play Go Fantôme on real boards."""

from collections.abc import Sequence

from gtp_variants.cli.parser import CommandParser, language_of
from gtp_variants.lang import RequestRefused
from gtp_variants.players.agreements import PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.rules import AMONG_PEOPLE, find_games, parse
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.terminal.games.referee_session import RefereeSession
from gtp_variants.terminal.games.save_file import POLICY, REFEREE, GamesFolder, SaveFile, list_games, resume
from gtp_variants.terminal.screen import converse
from gtp_variants.terminal.speech import speaker


def main(arguments: Sequence[str]) -> int:
    """Referee a game to its end, or list the unfinished ones. Raises OSError and VariantsError."""
    options = parser().parse_args(arguments)
    options.lang = language_of(options)
    folder = GamesFolder()
    if options.list:
        return list_games(folder, REFEREE, options.lang)
    file: SaveFile | None = None
    if options.resume is not None and options.spec is not None:
        raise RequestRefused("cli.resume_alone", given="SPEC")
    if options.resume is not None:
        file, game = resume(folder, REFEREE, options.resume)
    else:
        game = _new(options.spec or find_games(lambda game: not game.is_open)[0], options.lang)
    # Report a missing voice before the game is saved.
    speak = speaker(game.rules.lang) if options.speak else None
    session = RefereeSession(file or folder.new("referee"), game, options.echo)
    converse(session, file is not None, speak)
    return 0


def parser() -> CommandParser:
    made = CommandParser("referee")
    made.add_argument("spec", metavar="SPEC", nargs="?")
    made.add_argument("--speak", action="store_true")
    made.add_argument("--echo", action="store_true")
    made.add_argument("--resume", metavar="GAME", nargs="?", const="")
    made.add_argument("--list", action="store_true")
    return made


def _new(spec: str, lang: str) -> HostedGame:
    rules = parse(spec, {**AMONG_PEOPLE, "lang": lang})
    if not isinstance(rules, HiddenRules):
        raise RequestRefused("cli.referee_phantom", game=rules.name)
    if rules.refusal_is_private:
        raise RequestRefused("cli.referee_aloud")
    for key, is_for_one in (("captures", rules.only_owner_sees_captures), ("refused", rules.refusal_shows_stone)):
        if is_for_one:
            raise RequestRefused("cli.referee_screen", option=key, value=rules.values[key])
    people = dict.fromkeys(rules.colours, Participant(PERSON))
    return HostedGame.new(new_record(rules), people, POLICY, notes={"kind": REFEREE})
