"""Players made from a bot's name. Our bots run in this process, other people's as engines: see `bot_engine.py`."""

import json
import math
import os
import pickle
import sys
from base64 import b64encode
from contextlib import closing, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from gtp_variants import errors
from gtp_variants.ai.samples.thought import Thought, read_thought
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.secrecy import empty_secrets
from gtp_variants.base.processes.wall import WALL, Wall, around_words
from gtp_variants.gtp.client.peer import Launch, Peer
from gtp_variants.gtp.client.player import Engines, FreshEngines
from gtp_variants.players import bots
from gtp_variants.players.bot_description import BotDescription, describe_here
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.records.record import printable
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

_MAIN = """\
import os, sys
sys.path[:] = sys.argv.pop(1).split(os.pathsep)
from gtp_variants.gtp.client.bot_engine import main
main()
"""
# Maximum length of a bot's text in a report.
_MOST_SAID = 1000


def launch_bot(
    bot: str, wall: Wall | None = None, *, startup_s: float = 30.0, command_s: float = 60.0, margin_s: float = 0.1
) -> Launch:
    """Return the way to start a bot's own process, which uses this process's module path.

    Environment variables that look like secrets are emptied. Through its wall the bot can read its file and the files
    that its parameters name, with their folders.
    """
    wall, file = wall or WALL, bots.file_of(bot)
    named = [*([str(file)] if file else []), *bots.split(bot)[1].values()]
    return Launch(
        (sys.executable, "-P", "-c", _MAIN, os.pathsep.join(sys.path)),
        environment=empty_secrets(),
        startup_s=startup_s,
        command_s=command_s,
        margin_s=margin_s,
        grace_s=0.5,
        wall=replace(wall, readable=(*wall.readable, *around_words(named, Path().absolute()))),
    )


def _request(peer: Peer, method: str, *arguments: object, timeout_s: float, sets_up: bool = False) -> Json:
    """Call a bot's method. Raises BotFailed or PeerError and, if `sets_up`, ConfigError or NotationError."""
    packed = b64encode(pickle.dumps(arguments, pickle.HIGHEST_PROTOCOL)).decode()
    try:
        return _read_answer(peer.send(method, packed, timeout_s=timeout_s))
    except errors.Refused as error:
        said = _read_answer(error.answer)
        if sets_up and isinstance(faults := said.get("faults"), list):
            raise errors.ConfigError([_shorten(fault) for fault in faults]) from None
        if sets_up and "refusal" in said:
            raise errors.NotationError(_shorten(said["refusal"])) from None
        raise errors.BotFailed(_shorten(said.get("failure", "it refused"))) from None
    except errors.PeerError as error:
        raise type(error)(str(error).replace(f" {packed}", "")) from None


def _read_answer(text: str) -> Json:
    with suppress(ValueError, RecursionError):
        # Accept numbers of any length, so that a report can name a point far off the board.
        if isinstance(found := json.loads(text), dict):
            return found
    raise errors.PeerGarbled(f"expected a JSON object, got {text[:80]!r}")


def _shorten(said: object) -> str:
    """Return a bot's text as one line that is safe to show in a report or a terminal."""
    return printable(str(said))[:_MOST_SAID]


class IsolatedBot:
    """A player whose bot runs in a process of its own. Raises PeerError for any failure of the bot."""

    def __init__(self, name: str, engines: Engines | None = None) -> None:
        self.explanation = ""
        self.found: Thought | None = None
        self._name = name
        self._engines = engines or FreshEngines(launch_bot(name))
        self._peer: Peer | None = None
        self._rules: Rules | None = None
        # The news not sent yet, and the number of pieces of news sent.
        self._untold: list[News] = []
        self._told = 0

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Start a process if none runs, and begin a game. Raises ConfigError or NotationError for an unusable bot."""
        self._rules, self._untold, self._told = rules, [], 0
        if self._peer is None:
            self._peer = self._engines.take(colour, seed)
            try:
                self._ask("load", self._name, timeout_s=self._limits.startup_s, sets_up=True)
            except (errors.ConfigError, errors.NotationError) as error:
                self._fail(errors.PeerUnfit(str(error)))
                raise
        self._ask("sit", rules.spec, colour, seed, timeout_s=self._limits.startup_s)

    def hear(self, news: News) -> None:
        """Store the news, which is sent with the next request."""
        assert self._rules is not None
        # Leave out positions, because they are large and the other process can recompute them.
        self._untold.append(_without_position(news) if self._rules.is_open else news)

    def choose(self, view: View, clock: Clock) -> int:
        """Return the bot's answer without checking it."""
        assert self._rules is not None
        beyond = [_without_position(news) for news in view.news[self._told + len(self._untold) :]]
        self.found = None
        has_clock, limits = clock.longest_s < math.inf, self._limits
        within_s = clock.longest_s + limits.margin_s if has_clock else limits.command_s
        try:
            answer = self._ask("choose", self._tell(), beyond, clock, timeout_s=within_s)
        except errors.PeerSilent:
            late = errors.PeerLate if has_clock else errors.PeerSilent
            raise late(f"took more than {within_s:.3f} s for a move") from None
        if "action" not in answer:
            raise self._fail(errors.PeerGarbled("its answer has no action"))
        self.explanation = _shorten(answer.get("explanation", ""))
        if isinstance(found := answer.get("found"), dict):
            visits, values = (each if isinstance(each, list) else () for each in map(found.get, ("visits", "values")))
            self.found = read_thought(self._rules, visits, values)
        action: int = answer["action"]
        return action

    def leave(self, outcome: Outcome | None) -> None:
        """Report the outcome to the bot and release the process."""
        if self._peer is not None:
            try:
                self._ask("leave", self._tell(), outcome)
            finally:
                peer, self._peer = self._peer, None
                if peer is not None:
                    # Ignore an unclean end, because a bot may leave threads behind that keep its process running.
                    with suppress(errors.PeerUnclean):
                        self._engines.give_back(peer, outcome, None)

    def set_parameter(self, key: str, text: str) -> None:
        """Set a declared parameter. Raises NotationError or ConfigError for a bad value, and then keeps the old one."""
        name = bots.with_parameter(self._name, key, text)
        if self._peer is not None:
            self._ask("set_parameter", key, text, sets_up=True)
        else:
            # Check the value now, not when the process starts.
            describe(name)
        self._name = name

    @property
    def _limits(self) -> Launch:
        """The settings of the running process, which limit its time. Raises PeerGarbled if there is none."""
        if self._peer is None:
            raise errors.PeerGarbled("it failed earlier")
        return self._peer.launch

    def _tell(self) -> list[News]:
        news, self._untold = self._untold, []
        self._told += len(news)
        return news

    def _ask(self, method: str, *arguments: object, timeout_s: float | None = None, sets_up: bool = False) -> Json:
        """Return the engine's answer. Give the engine back if its process failed, not only its bot."""
        within_s = self._limits.command_s if timeout_s is None else timeout_s
        assert self._peer is not None
        try:
            return _request(self._peer, method, *arguments, timeout_s=within_s, sets_up=sets_up)
        except errors.BotFailed:
            raise
        except errors.PeerError as error:
            raise self._fail(error) from None
        except KeyboardInterrupt:
            # Give up the process, because its late answer would be mistaken for the answer to the next request.
            self._fail(errors.PeerGone("interrupted"))
            raise

    def _fail(self, error: errors.PeerError) -> errors.PeerError:
        peer, self._peer = self._peer, None
        if peer is not None:
            self._engines.give_back(peer, None, error)
        return error


def _without_position(news: News) -> News:
    return news if news.action is None else replace(news, after=None)


def make_player(name: str, engines: Engines | None = None, *, is_trusted: bool = False) -> Player:
    """Return a new player, in this process if the bot is ours or `is_trusted`. Raises the errors of `describe`."""
    return bots.load(name) if is_trusted or bots.is_ours(name) else IsolatedBot(name, engines)


def set_parameter(player: Player, key: str, text: str) -> None:
    """Set a declared parameter of any player. Raises NotationError or ConfigError for a bad value."""
    if isinstance(player, IsolatedBot):
        player.set_parameter(key, text)
    else:
        bots.set_parameter(player, key, text)


def describe(name: str) -> BotDescription:
    """Describe a bot without loading other people's code here. Raises NotationError or ConfigError if that fails."""
    if bots.is_ours(name):
        return describe_here(name)
    file = bots.file_of(name)
    about = file.stat() if file is not None and file.is_file() else None
    return _describe(name, str(Path.cwd()), about and about.st_mtime_ns, about and about.st_size)


def explain_refusal(name: str, rules: Rules) -> str:
    """Return why a bot with its parameters cannot play these rules, or "" if it can. Raises the same as `describe`."""
    if not (describe(name).plays_hidden or rules.is_open):
        return f"{name} cannot play {rules.name}, where stones are hidden; {rules.profile.default_bot} can"
    if bots.is_ours(name):
        try:
            bots.check_rules(bots.load(name), rules)
        except errors.ConfigError as error:
            return f"{name} cannot play {rules.name}: {error}"
    return ""


@lru_cache
def _describe(name: str, folder: str, changed_ns: int | None, size: int | None) -> BotDescription:
    launch = launch_bot(name)
    try:
        with closing(Peer(launch.start(), launch)) as peer:
            found = _request(peer, "describe", name, timeout_s=launch.startup_s, sets_up=True)
            return _read_description(found)
    except errors.PeerError as error:
        raise errors.ConfigError([f"bot {name}: {error}"]) from None


def _read_description(found: Json) -> BotDescription:
    """Read a description from an engine's unchecked answer. Raises PeerGarbled if it is invalid."""
    try:
        parameters, threads = tuple(map(str, found["parameters"])), int(found["threads"])
        source = None if found["source"] is None else Path(str(found["source"]))
        return BotDescription(parameters, bool(found["plays_hidden"]), threads, source, bool(found["draws_lots"]))
    except (KeyError, TypeError, ValueError):
        raise errors.PeerGarbled("its answer is not a description") from None
