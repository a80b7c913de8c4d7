"""Where players come from: GTP engines and bots, each in a process that can be ended from outside."""

import contextlib
from pathlib import Path

from gtp_variants.bot_process.player import BotDeadlines, make_player
from gtp_variants.bot_process.process import BotProcess
from gtp_variants.bridge.core.config import EngineConfig
from gtp_variants.bridge.core.engine.notes import note_of_analysis, note_of_search
from gtp_variants.errors import PeerError, PeerGone
from gtp_variants.gtp.client.analysis import AnalysingPeer
from gtp_variants.gtp.client.channel import ProcessChannel
from gtp_variants.gtp.client.peer import Launch, Peer, TalkLog, empty_secrets
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.player import Player
from gtp_variants.processes.cores import one_core
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules


class GtpThinkers:
    """Engines of one game that speak GTP: a process each, its talk and its standard error in files."""

    def __init__(self, config: EngineConfig, talk: Path) -> None:
        self.config = config
        self.talk = talk
        self._channel: ProcessChannel | None = None
        self._peer: AnalysingPeer | None = None
        self._is_killed = False

    def make(self) -> Player:
        """A player that takes its engine here."""
        return GtpPlayer(self)

    def take(self, colour: int, seed: str) -> Peer:
        """A new engine."""
        launch = Launch(
            self.config.command,
            folder=self.config.folder,
            environment={**empty_secrets(), **one_core(), **self.config.environment},
            startup_s=self.config.limits.startup_s,
            command_s=self.config.limits.any_command_s,
        )
        self._channel = launch.start(self.talk.with_suffix(".stderr"))
        if self._is_killed:
            # It was given up while the process began.
            self._channel.close(0.0)
            raise PeerGone("it was left behind")
        self._peer = AnalysingPeer(self._channel, launch, TalkLog(self.talk))
        try:
            self._peer.begin(self.config.startup)
        except PeerError as error:
            self._peer.close(error)
            raise
        return self._peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        """End an engine."""
        with contextlib.suppress(PeerError):
            peer.close(failure)

    def kill(self) -> None:
        """End the engine at once."""
        self._is_killed = True
        if self._channel is not None:
            self._channel.kill()

    def note(self, rules: Rules, colour: int) -> str:
        """What the engine said of its last move, as JSON."""
        return note_of_analysis(self._peer.analysis) if self._peer is not None else ""


class BotThinkers:
    """Bots of one game: ours, and those that are trusted, in this process, any other in one of its own."""

    def __init__(self, name: str, deadlines: BotDeadlines, stderr: Path, *, is_trusted: bool) -> None:
        self._name, self._deadlines, self._stderr, self._is_trusted = name, deadlines, stderr, is_trusted
        self._process: BotProcess | None = None
        self._player: Player | None = None

    def make(self) -> Player:
        """A new player."""
        self._player = make_player(self._name, self, self._deadlines, is_trusted=self._is_trusted)
        return self._player

    def take(self, colour: int) -> BotProcess:
        """A process for a bot."""
        self._process = BotProcess(self._stderr)
        return self._process

    def give_back(self, process: BotProcess, failure: PeerError | None) -> None:
        """End it."""
        process.close()

    def kill(self) -> None:
        """End the bot's process, if it has one, at once."""
        if self._process is not None:
            self._process.kill()

    def note(self, rules: Rules, colour: int) -> str:
        """What the bot's search found, as JSON."""
        return note_of_search(rules, colour, getattr(self._player, "found", None))


def find_thinkers(config: EngineConfig, talk: Path) -> GtpThinkers | BotThinkers:
    """Who is to think by a configuration; `talk` is the file for what is said."""
    if not config.bot:
        return GtpThinkers(config, talk)
    deadlines = BotDeadlines(config.limits.startup_s, config.limits.any_command_s)
    return BotThinkers(config.bot, deadlines, talk.with_suffix(".stderr"), is_trusted=config.is_trusted)


def find_bot(name: str, config: EngineConfig, talk: Path) -> BotThinkers:
    """A bot by its name, in place of the engine of a configuration."""
    deadlines = BotDeadlines(config.limits.startup_s, config.limits.any_command_s)
    return BotThinkers(name, deadlines, talk.with_suffix(".stderr"), is_trusted=bots.is_ours(name))
