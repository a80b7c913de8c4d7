"""Players in processes of their own: programs, and bots of somebody else's.

They are started for a game or kept for many; their talk and their standard error are on disk.
"""

import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from gtp_variants.arena.config.player_config import BotConfig, ProgramConfig
from gtp_variants.base.processes.cores import CORES_VARIABLE
from gtp_variants.errors import PeerError, PeerGone, PeerKilled, PeerUnclean
from gtp_variants.gtp.client.peer import AnalysingPeer, Launch, Peer, TalkLog
from gtp_variants.gtp.client.player import GtpPlayer, random_seed
from gtp_variants.players.isolated.player import BotDeadlines, make_player
from gtp_variants.players.isolated.process import BotProcess
from gtp_variants.players.player import Player
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.words import COLOUR_LETTERS


def make_program(config: ProgramConfig, folder: Path, game_id: str, seed: str) -> Player:
    """A seat for a program in one game.

    Its talk and its standard error are kept in `folder` as `NAME-COLOUR.gtp` and `NAME-COLOUR.stderr`, one pair a game,
    where the configuration wants them; a file nothing was written to is not made. They are written when the game is
    over: other players could read them.
    """
    return GtpPlayer(_ProgramEngines(config, folder, game_id, seed))


def make_bot(config: BotConfig, folder: Path, *, is_kept: bool) -> Player:
    """A seat for a bot in one game; a process that it has of its own is kept for the next game or not.

    What a bot in a process of its own prints is kept in `folder` as `NAME-COLOUR.stderr`. Raises ConfigError for a bot
    in this process that cannot be made.
    """
    limits = config.limits
    deadlines = BotDeadlines(limits.startup_s, limits.command_s, limits.margin_s)
    processes = _KeptBotProcesses(config, folder, is_kept)
    return make_player(config.bot, processes, deadlines, is_trusted=config.is_trusted)


def end_all() -> None:
    """End the processes that are kept from game to game, all at the same time."""
    with _lock:
        ends: list[Callable[[], None]] = [process.close for kept in _kept_bots.values() for process in kept]
        ends += [partial(_end, name, peer) for (name, _), kept in _kept.items() for peer in kept]
        for known in (_kept_bots, _kept, _failed, _unclean):
            known.clear()
    threads = [threading.Thread(target=end) for end in ends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _end(name: str, peer: Peer) -> None:
    """End a program that belongs to no game any more."""
    how = peer.close()
    if how:
        sys.stderr.write(f"warning: {name} {how}\n")


def has_processes() -> bool:
    """Whether there are processes between two games."""
    with _lock:
        return any(_kept.values()) or any(_kept_bots.values())


# A player's name and command: what says which programs are alike.
_Kind = tuple[str, tuple[str, ...]]
# Programs between two games, and in which game others failed.
_kept: dict[_Kind, list[Peer]] = {}
_failed: dict[_Kind, str] = {}
# Programs that hung or crashed when they were told to quit: they are not waited for so long again.
_unclean: set[_Kind] = set()
_GRACE_AFTER_UNCLEAN_S = 0.2
# Processes of bots between two games, by the player's name and bot: two players never have the same one.
_kept_bots: dict[tuple[str, str], list[BotProcess]] = {}
_lock = threading.Lock()


class _ProgramEngines:
    """One program's engines in one game."""

    def __init__(self, config: ProgramConfig, folder: Path, game_id: str, seed: str) -> None:
        self.config = config
        self.folder = folder
        self.game_id = game_id
        self.launch = launch(config, game_id, seed)
        self.is_kept = config.restart != "game"
        self._colour = 0
        self._kind: _Kind = config.name, config.command

    def take(self, colour: int, seed: str) -> Peer:
        """A program that waits, or a new one; startup commands are sent to both. Raises PeerError."""
        stem = f"{self.config.name}-{COLOUR_LETTERS[colour]}"
        talk = None if self.config.gtp_log == "never" else TalkLog(self.folder / f"{stem}.gtp", is_held=True)
        stderr = None if self.config.stderr == "discard" else self.folder / f"{stem}.stderr"
        self._colour = colour
        with _lock:
            waiting = _kept.get(self._kind, [])
            peer = waiting.pop() if self.is_kept and waiting else None
            gone = _failed.get(self._kind, "")
        if peer is None and gone and self.config.restart == "never":
            raise PeerGone(f"it failed in game {gone} and is never started again")
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
        """Keep a program for the next game, or end it. Raises PeerUnclean for one that does not end as it should."""
        peer.flush()
        lost_by_failing = outcome is not None and outcome.how == "forfeit" and outcome.winner != self._colour
        if self.is_kept and failure is None and not (lost_by_failing and self.config.restart == "on-failure"):
            with _lock:
                _kept.setdefault(self._kind, []).append(peer)
            return
        # Who was killed from outside has not failed.
        if failure is not None and not isinstance(failure, PeerKilled):
            with _lock:
                _failed[self._kind] = self.game_id
        how = peer.close(failure, _GRACE_AFTER_UNCLEAN_S if self._kind in _unclean else None)
        if how and failure is None:
            _unclean.add(self._kind)
            raise PeerUnclean(how)


class _KeptBotProcesses:
    """The processes of one player that is a bot, in one game."""

    def __init__(self, config: BotConfig, folder: Path, is_kept: bool) -> None:
        self._name, self._key = config.name, (config.name, config.bot)
        self._folder = folder
        self._is_kept = is_kept

    def take(self, colour: int) -> BotProcess:
        """A process that waits, or a new one. Raises PeerError."""
        stderr = self._folder / f"{self._name}-{COLOUR_LETTERS[colour]}.stderr"
        with _lock:
            waiting = _kept_bots.get(self._key, [])
            process = waiting.pop() if waiting else None
        if process is None:
            return BotProcess(stderr)
        process.turn_stderr_to(stderr)
        return process

    def give_back(self, process: BotProcess, failure: PeerError | None) -> None:
        """Keep a process for the next game, or end it."""
        if self._is_kept and failure is None:
            process.flush_stderr()
            with _lock:
                _kept_bots.setdefault(self._key, []).append(process)
        else:
            process.close()


def launch(config: ProgramConfig, game_id: str, seed: str) -> Launch:
    """How a program is started for a game: {seed}, {game} and {slot} in its arguments filled in."""
    places = {"{seed}": str(random_seed(seed)), "{game}": game_id, "{slot}": str(config.slot)}
    return Launch(
        tuple(_fill(word, places) for word in config.command),
        folder=config.cwd,
        # Those of ours share the cores with other games.
        environment={CORES_VARIABLE: f"{config.threads}", **config.env},
        aliases=dict(config.aliases),
        startup_s=config.limits.startup_s,
        command_s=config.limits.command_s,
        margin_s=config.limits.margin_s,
    )


def _fill(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word
