"""Players made from a bot's name. Our bots run in this process, other people's in a process of their own."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from gtp_variants.ai.samples.thought import Thought, read_thought
from gtp_variants.errors import (
    BotFailed,
    ConfigError,
    NotationError,
    PeerError,
    PeerGarbled,
    PeerGone,
    PeerLate,
    PeerSilent,
    PeerUnfit,
)
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.isolated.description import BotDescription, describe_here
from gtp_variants.players.isolated.process import BotProcess, shorten
from gtp_variants.players.player import Player
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View


@dataclass(frozen=True, slots=True)
class BotDeadlines:
    """A bot's time limits in seconds: for its start, for any other request, and the extra time for a move."""

    startup_s: float = 30.0
    command_s: float = 60.0
    margin_s: float = 0.1


DEADLINES = BotDeadlines()


class BotProcesses(Protocol):
    """A source of processes for a bot."""

    def take(self, colour: int) -> BotProcess:
        """Return a process for a seat. Raises PeerError."""

    def give_back(self, process: BotProcess, failure: PeerError | None) -> None:
        """Take a process back after its game, or after a failure."""


class FreshProcess:
    """A source that starts a new process for each game. `stderr` is the file that receives what the bot prints."""

    def __init__(self, stderr: Path | None = None) -> None:
        self._stderr = stderr

    def take(self, colour: int) -> BotProcess:
        return BotProcess(self._stderr)

    def give_back(self, process: BotProcess, failure: PeerError | None) -> None:
        process.close()


class IsolatedBot:
    """A player whose bot runs in a process of its own. Raises PeerError for any failure of the bot."""

    def __init__(self, name: str, processes: BotProcesses | None = None, deadlines: BotDeadlines = DEADLINES) -> None:
        self.explanation = ""
        self.found: Thought | None = None
        self._name = name
        self._processes = processes or FreshProcess()
        self._deadlines = deadlines
        self._process: BotProcess | None = None
        self._rules: Rules | None = None
        # Parameters that were set before the process started.
        self._texts: dict[str, str] = {}
        # The news not sent yet, and the number of pieces of news sent.
        self._untold: list[News] = []
        self._told = 0

    def sit(self, rules: Rules, colour: int, seed: str) -> None:
        """Start a process and begin a game. Raises ConfigError or NotationError if the bot cannot be used."""
        self._rules, self._untold, self._told = rules, [], 0
        within_s = self._deadlines.startup_s
        if self._process is None:
            self._process = self._processes.take(colour)
            try:
                self._ask(lambda process: process.set_up("load", self._name, timeout_s=within_s))
                for key, text in self._texts.items():
                    self._set(key, text)
            except (ConfigError, NotationError) as error:
                self._fail(PeerUnfit(str(error)))
                raise
        self._ask(lambda process: process.request("sit", rules.spec, colour, seed, timeout_s=within_s))

    def hear(self, news: News) -> None:
        """Store the news, which is sent with the next request."""
        assert self._rules is not None
        # Positions are large, and the other process can recompute them.
        self._untold.append(_without_position(news) if self._rules.is_open else news)

    def choose(self, view: View, clock: Clock) -> int:
        """Return the bot's answer without checking it."""
        assert self._rules is not None
        beyond = [_without_position(news) for news in view.news[self._told + len(self._untold) :]]
        self.found = None
        has_clock = clock.longest_s < math.inf
        within_s = clock.longest_s + self._deadlines.margin_s if has_clock else self._deadlines.command_s
        try:
            answer = self._ask(
                lambda process: process.request("choose", self._tell(), beyond, clock, timeout_s=within_s)
            )
        except PeerSilent:
            late = PeerLate if has_clock else PeerSilent
            raise late(f"took more than {within_s:.3f} s for a move") from None
        if not isinstance(answer, dict) or "action" not in answer:
            raise self._fail(PeerGarbled("its answer has no action"))
        self.explanation = shorten(answer.get("explanation", ""))
        if isinstance(found := answer.get("found"), dict):
            visits, values = (each if isinstance(each, list) else () for each in map(found.get, ("visits", "values")))
            self.found = read_thought(self._rules, visits, values)
        action: int = answer["action"]
        return action

    def leave(self, outcome: Outcome | None) -> None:
        """Report the outcome to the bot and release the process."""
        process = self._process
        if process is None:
            return
        try:
            self._ask(lambda each: each.request("leave", self._tell(), outcome, timeout_s=self._deadlines.command_s))
        finally:
            if self._process is not None:
                self._process = None
                self._processes.give_back(process, None)

    def set_parameter(self, key: str, text: str) -> None:
        """Set a declared parameter. Raises NotationError or ConfigError for a bad value, and then keeps the old one."""
        if self._process is not None:
            self._set(key, text)
        else:
            # Check the value now, not when the process starts.
            describe(bots.with_parameter(self._name, key, text))
        self._texts[key] = text

    def _set(self, key: str, text: str) -> None:
        self._ask(lambda process: process.set_up("set_parameter", key, text, timeout_s=self._deadlines.command_s))

    def _tell(self) -> list[News]:
        news, self._untold = self._untold, []
        self._told += len(news)
        return news

    def _ask(self, request: Callable[[BotProcess], object]) -> object:
        """Return the process's answer. Give the process back if the process failed, not only its bot."""
        if self._process is None:
            raise PeerGarbled("it failed earlier")
        try:
            return request(self._process)
        except BotFailed:
            raise
        except PeerError as error:
            raise self._fail(error) from None
        except KeyboardInterrupt:
            # A late answer would be mistaken for the answer to the next request.
            self._fail(PeerGone("interrupted"))
            raise

    def _fail(self, error: PeerError) -> PeerError:
        process, self._process = self._process, None
        if process is not None:
            self._processes.give_back(process, error)
        return error


def _without_position(news: News) -> News:
    return news if news.action is None else replace(news, after=None)


def make_player(
    name: str, processes: BotProcesses | None = None, deadlines: BotDeadlines = DEADLINES, *, is_trusted: bool = False
) -> Player:
    """Return a new player. Our own and trusted bots run in this process. Raises the same as `describe`."""
    return bots.load(name) if is_trusted or bots.is_ours(name) else IsolatedBot(name, processes, deadlines)


def set_parameter(player: Player, key: str, text: str) -> None:
    """Set a declared parameter of any player. Raises NotationError or ConfigError for a bad value."""
    if isinstance(player, IsolatedBot):
        player.set_parameter(key, text)
    else:
        bots.set_parameter(player, key, text)


def describe(name: str) -> BotDescription:
    """Return a bot's description. Other people's code is not loaded here. Raises NotationError or ConfigError."""
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
        except ConfigError as error:
            return f"{name} cannot play {rules.name}: {error}"
    return ""


@lru_cache
def _describe(name: str, folder: str, changed_ns: int | None, size: int | None) -> BotDescription:
    process = BotProcess()
    try:
        return _read_description(process.set_up("describe", name, timeout_s=DEADLINES.startup_s))
    except PeerError as error:
        raise ConfigError([f"bot {name}: {error}"]) from None
    finally:
        with suppress(PeerError):
            process.close()


def _read_description(found: object) -> BotDescription:
    """Read a description from a process's unchecked answer. Raises PeerGarbled if it is invalid."""
    try:
        assert isinstance(found, dict)
        source = found["source"]
        return BotDescription(
            tuple(map(str, found["parameters"])),
            bool(found["plays_hidden"]),
            int(found["threads"]),
            None if source is None else Path(str(source)),
            bool(found["draws_lots"]),
        )
    except (AssertionError, KeyError, TypeError, ValueError):
        raise PeerGarbled("its answer is not a description") from None
