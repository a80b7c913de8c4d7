"""Players in processes of their own: programs, and bots that are not built in.

A process is started for one game or kept for many. Its GTP log and its standard error are written to files.
"""

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from gtp_variants.arena.config.player_config import BOT_PREFIX, BotConfig, ProgramConfig, fill_placeholders, wall_of
from gtp_variants.base.processes.cores import CORES_VARIABLE
from gtp_variants.errors import PeerError, PeerGone, PeerKilled, PeerUnclean
from gtp_variants.gtp.client.isolated_bot import launch_bot, make_player
from gtp_variants.gtp.client.peer import AnalysingPeer, Launch, Peer, TalkLog
from gtp_variants.gtp.client.player import GtpPlayer, random_seed
from gtp_variants.players.player import Player
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.outcome import Outcome


def make_program(config: ProgramConfig, folder: Path, game_id: str, seed: str) -> Player:
    """Return a program as a player for one game.

    If the configuration asks for them, its GTP log and standard error become `NAME-COLOUR.gtp` and `NAME-COLOUR.stderr`
    in `folder`, unless they are empty. They are written only after the game, because other players could read them.
    """
    return GtpPlayer(_Engines(config, folder, game_id, launch(config, folder, game_id, seed)))


def make_bot(config: BotConfig, folder: Path, game_id: str, *, is_kept: bool) -> Player:
    """Return a bot as a player for one game. With `is_kept`, its process is kept for later games.

    A bot's own process prints into `NAME-COLOUR.stderr` in `folder`. Raises ConfigError if a bot that plays in this
    process cannot be created.
    """
    limits, restart = config.limits, "on-failure" if is_kept else "game"
    deadlines = {"startup_s": limits.startup_s, "command_s": limits.command_s, "margin_s": limits.margin_s}
    started = launch_bot(config.bot, wall_of(config, folder), **deadlines)
    # Programs and bots of the same name and command share their processes.
    program = ProgramConfig(config.name, (BOT_PREFIX, config.bot), limits=limits, restart=restart, gtp_log="never")
    return make_player(config.bot, _Engines(program, folder, game_id, started), is_trusted=config.is_trusted)


def end_all() -> None:
    """End, in parallel, all processes that are kept from game to game."""
    with _lock:
        threads = [threading.Thread(target=_end, args=(*kind, peer)) for kind in _kept for peer in _kept[kind]]
        for known in (_kept, _failed, _unclean):
            known.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _end(name: str, command: Sequence[str], peer: Peer) -> None:
    """End a program and print a warning if it does not quit properly. A bot may leave threads behind."""
    how = peer.close()
    if how and command[0] != BOT_PREFIX:
        sys.stderr.write(f"warning: {name} {how}\n")


def has_processes() -> bool:
    """Return True if any process is being kept for another game."""
    with _lock:
        return any(_kept.values())


# A player's name and command. Programs for which both are equal are interchangeable.
_Kind = tuple[str, tuple[str, ...]]
# By kind: the programs that are between two games, and the id of the game in which one failed.
_kept: dict[_Kind, list[Peer]] = {}
_failed: dict[_Kind, str] = {}
# Kinds of programs that hung or crashed on quitting. From then on they get a shorter grace period.
_unclean: set[_Kind] = set()
_GRACE_AFTER_UNCLEAN_S = 0.2
_lock = threading.Lock()


class _Engines:
    """The engine processes of one player in one game."""

    def __init__(self, config: ProgramConfig, folder: Path, game_id: str, started: Launch) -> None:
        self.config, self.folder, self.game_id, self.launch = config, folder, game_id, started
        self.is_kept = config.restart != "game"
        self._colour = 0
        self._kind: _Kind = config.name, config.command

    def take(self, colour: int, seed: str) -> Peer:
        """Return a kept program or a new one, once it has run the startup commands. Raises PeerError if it fails."""
        stem = f"{self.config.name}-{COLOUR_LETTERS[colour]}"
        talk = None if self.config.gtp_log == "never" else TalkLog(self.folder / f"{stem}.gtp", is_held=True)
        stderr = None if self.config.stderr == "discard" else self.folder / f"{stem}.stderr"
        self._colour = colour
        with _lock:
            waiting = _kept.get(self._kind, [])
            peer = waiting.pop() if self.is_kept and waiting else None
            gone = _failed.get(self._kind, "")
        if peer is None and gone and self.config.restart == "never":
            raise PeerGone(f"failed in game {gone} and is not started again (restart: never)")
        if peer is None:
            kind = AnalysingPeer if self.config.is_analysing else Peer
            peer = kind(self.launch.start(stderr, is_quiet=stderr is None, is_stderr_held=True), self.launch, talk)
        else:
            peer.turn_to(talk, stderr)
        try:
            peer.begin(self.config.startup)
        except PeerError as error:
            self.give_back(peer, None, error)
            raise
        return peer

    def give_back(self, peer: Peer, outcome: Outcome | None, failure: PeerError | None) -> None:
        """Keep a program for the next game, or end it. Raises PeerUnclean if it does not quit properly."""
        peer.flush()
        lost_by_failing = outcome is not None and outcome.how == "forfeit" and outcome.winner != self._colour
        if self.is_kept and failure is None and not (lost_by_failing and self.config.restart == "on-failure"):
            with _lock:
                _kept.setdefault(self._kind, []).append(peer)
            return
        # A program that was killed from outside is not treated as failed.
        if failure is not None and not isinstance(failure, PeerKilled):
            with _lock:
                _failed[self._kind] = self.game_id
        how = peer.close(failure, _GRACE_AFTER_UNCLEAN_S if self._kind in _unclean else None)
        if how and failure is None:
            _unclean.add(self._kind)
            raise PeerUnclean(how)
        # A busy computer may have made it slow once.
        _unclean.discard(self._kind)


def launch(config: ProgramConfig, folder: Path, game_id: str, seed: str) -> Launch:
    """Return how to start a program for a game, with its command's placeholders filled in and its logs in `folder`."""
    words = {"seed": str(random_seed(seed)), "game": game_id, "slot": str(config.slot)}
    return Launch(
        tuple(fill_placeholders(word, words) for word in config.command),
        folder=config.cwd,
        # This variable limits the threads of our own programs: other games need the cores too.
        environment={CORES_VARIABLE: f"{config.threads}", **config.env},
        aliases=dict(config.aliases),
        startup_s=config.limits.startup_s,
        command_s=config.limits.command_s,
        margin_s=config.limits.margin_s,
        wall=wall_of(config, folder),
    )
