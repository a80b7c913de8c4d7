"""The commands for other people's GTP engines: `check-engine`, and `adapt` for engines that know only Go.

`check-engine` reports an engine's abilities, speed and faults in our games. `adapt` lets a Go engine play Aléago and
Alter Igo. The adapter is a GTP engine with our commands, rules, dice and board. Only `genmove` and similar commands ask
the other engine, which may play only on open points. `GtpPlayer` keeps that engine's board up to date.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import takewhile

from gtp_variants import configs
from gtp_variants.cli.commands import CommandFunctions
from gtp_variants.cli.parser import SECONDS, CommandParser
from gtp_variants.errors import CommandFailed, NotationError, PeerError, VariantsError
from gtp_variants.gtp.client.check import CheckReport, as_json, as_text, check, check_rules
from gtp_variants.gtp.client.peer import Launch, Peer
from gtp_variants.gtp.client.player import GtpPlayer, prepare
from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.engine.stdio import serve
from gtp_variants.players.player import Player
from gtp_variants.rules import GAMES, game_class, parse, split_spec
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules


class OneEngine:
    """One engine process for all seats and games, which is restarted after a failure."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self._peer: Peer | None = None

    @property
    def peer(self) -> Peer:
        """The running engine. Raises PeerError if it cannot be started."""
        if self._peer is None:
            # The engine's standard error stays connected to ours.
            self._peer = Peer(self.launch.start(), self.launch)
        return self._peer

    def name(self, rules: Rules) -> str:
        return f"{self.peer.name} {self.peer.version}".strip()

    def make(self, rules: Rules) -> Player:
        return GtpPlayer(self)

    def take(self, colour: int, seed: str) -> Peer:
        return self.peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        if failure is not None:
            peer.close(failure)
            self._peer = None

    def close(self) -> None:
        """Stop the engine, if it is running."""
        if self._peer is not None:
            self._peer.close()


class AdaptedSession(Session):
    """The session of an adapter, whose bot is another engine."""

    def __init__(self, spec: str, engines: OneEngine, seed: str | None = None) -> None:
        super().__init__(spec, bot=engines, seed=seed)
        self.engines = engines

    @property
    def engine_name(self) -> str:
        """The name of the other engine and of the game that it plays."""
        return f"{self.bot.name} in {self.rules.title}"

    def set_game(self, spec: str) -> None:
        rules = self.rules_of(*split_spec(spec))
        prepare(self.engines.peer, rules, rules.colours[0])
        super().set_game(spec)

    def resize(self, rules: Rules, **changed: str) -> None:
        try:
            prepare(self.engines.peer, rules, rules.colours[0])
        except PeerError as error:
            raise CommandFailed(f"unacceptable size ({error})") from None
        super().resize(rules, **changed)


def main(arguments: Sequence[str]) -> int:
    """Adapt an engine until `quit` or the end of the input. Raises VariantsError if the engine cannot be adapted."""
    ours = list(takewhile(lambda word: word != "--", arguments))
    options, command = parser().parse_args(ours), arguments[len(ours) + 1 :]
    engines = OneEngine(Launch(tuple(command), command_s=options.patience))
    try:
        if not command:
            raise VariantsError("no engine; expected: gtp-variants adapt SPEC -- COMMAND...")
        session = AdaptedSession(options.spec, engines, options.seed)
        prepare(engines.peer, session.rules, session.rules.colours[0])
        serve(GtpEngine(session), sys.stdin.buffer, sys.stdout.buffer)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        engines.close()
    return 0


def parser() -> CommandParser:
    made = CommandParser("adapt", usage="gtp-variants adapt SPEC [--seed TEXT] [--patience SECONDS] -- COMMAND...")
    made.add_argument("spec", metavar="SPEC")
    made.add_argument("--seed", metavar="TEXT")
    made.add_argument("--patience", type=SECONDS.read, default=600.0, metavar="SECONDS")
    return made


# -- check-engine -----------------------------------------------------------------------------------------------------


def _check(arguments: Sequence[str]) -> int:
    """Check an engine, and return 1 if it is faulty. Raises VariantsError if the engine cannot be checked."""
    options = _check_parser().parse_args(arguments)
    if options.template:
        sys.stdout.write(configs.template_bot().read_text(encoding="utf-8"))
        return 0
    specs = options.spec or [game_class(name).profile.small_spec for name in GAMES]
    for spec in specs:
        parse(spec)
    return _show(check(_launch(options), specs, must_play=bool(options.spec)), options)


def _launch(options: argparse.Namespace) -> Launch:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise NotationError("no engine; expected its command after the options")
    return Launch(tuple(command), startup_s=options.timeout, command_s=options.timeout, grace_s=2.0)


def _show(report: CheckReport, options: argparse.Namespace) -> int:
    sys.stdout.write(as_json(report) if options.json else as_text(report))
    return 0 if report.is_ok else 1


def _check_parser() -> CommandParser:
    made = CommandParser(
        "check-engine", usage="gtp-variants check-engine [--spec SPEC]... [--json] [--timeout SECONDS] [--] COMMAND..."
    )
    made.add_argument("--spec", action="append", metavar="SPEC")
    made.add_argument("--template", action="store_true")
    return _add_engine(made)


def _add_engine(made: CommandParser) -> CommandParser:
    made.add_argument("--json", action="store_true")
    made.add_argument("--timeout", type=SECONDS.read, default=10.0, metavar="SECONDS")
    made.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    return made


check_engine = CommandFunctions(_check, _check_parser)


def _conform(arguments: Sequence[str]) -> int:
    """Drive an engine through the conformance files, and return 1 if it gets a rule wrong."""
    options = _conformance_parser().parse_args(arguments)
    games = [game_class(name).name for name in options.games.split(",")] if options.games else list(GAMES)
    return _show(check_rules(_launch(options), games), options)


def _conformance_parser() -> CommandParser:
    made = CommandParser(
        "conformance", usage="gtp-variants conformance [--games NAMES] [--json] [--timeout SECONDS] [--] COMMAND..."
    )
    made.add_argument("--games", metavar="NAMES")
    return _add_engine(made)


conformance = CommandFunctions(_conform, _conformance_parser)
