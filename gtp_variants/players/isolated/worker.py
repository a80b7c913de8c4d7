"""The process that somebody else's bot plays in: requests come in as pickles, each is answered by a line of JSON.

What comes back is no pickle, because reading one could run code in the process that reads it. The bot learns what its
seat is told, and works out its `View` here from that.
"""

import json
import os
import pickle
from collections.abc import Sequence
from dataclasses import asdict, replace
from operator import index
from typing import BinaryIO

from gtp_variants.ai.samples.thought import find_thought
from gtp_variants.base.json_values import Json
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.players import bots
from gtp_variants.players.clock import Clock
from gtp_variants.players.isolated.description import describe_error, describe_here, protect_memory, quote_value
from gtp_variants.players.player import Player
from gtp_variants.rules import parse
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View, Watch


def main() -> None:
    """Answer requests until the input ends."""
    protect_memory()
    requests, answers = _take_pipes()
    served = _ServedBot()
    while True:
        try:
            method, *arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = {"answer": getattr(served, method)(*arguments)}
        except (Exception, SystemExit) as error:
            where = "in hear: " if served.is_hearing else ""
            answer = {"failure": where + describe_error(error)}
            if isinstance(error, ConfigError):
                answer["faults"] = list(error.faults)
            elif isinstance(error, NotationError):
                answer["refusal"] = str(error)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The way in and the way out, where neither the bot nor what it starts comes across them by mistake."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # What a bot prints is for people.
    os.dup2(2, 1)
    return requests, answers


class _ServedBot:
    """A bot and the seat it has. Every method is a request that the other side can make."""

    def __init__(self) -> None:
        self._bot: Player | None = None
        self._rules: dict[str, Rules] = {}
        self._seat: _HeardGame | None = None
        # What its search found for its last move.
        self._found: object = None
        # Whether it was being told something when it failed.
        self.is_hearing = False

    def describe(self, name: str) -> Json:
        """What is known of a bot before it plays, as the fields of `BotDescription`."""
        found = asdict(describe_here(name))
        return {**found, "source": found["source"] and str(found["source"])}

    def load(self, name: str) -> None:
        """A new bot in place of the last one."""
        self._bot, self._seat, self.is_hearing = bots.load(name), None, False

    def set_parameter(self, key: str, text: str) -> None:
        """Another value of a parameter, from the next move on."""
        bots.set_parameter(self._bot, key, text)

    def sit(self, spec: str, colour: int, seed: str) -> None:
        """A game begins."""
        rules = self._rules.setdefault(spec, parse(spec))
        self._seat = _HeardGame(rules, colour)
        self._player.sit(rules, colour, seed)

    def choose(self, heard: Sequence[News], beyond: Sequence[News], clock: Clock) -> Json:
        """What the bot does after this news. `beyond` is in its view only: a side that is passed over for now."""
        seat = self._hear(heard)
        action = self._player.choose(seat.view(beyond), clock)
        answer: Json = {
            "action": _simple(action),
            "explanation": str(getattr(self._bot, "explanation", ""))[:1000],
        }
        before, self._found = self._found, getattr(self._bot, "found", None)
        thought = None if self._found is before else find_thought(seat.rules, self._found)
        if thought is not None:
            answer["found"] = {"visits": list(thought.visits.items()), "values": thought.values}
        return answer

    def leave(self, heard: Sequence[News], outcome: Outcome | None) -> None:
        """The game is over."""
        self._hear(heard)
        self._player.leave(outcome)

    @property
    def _player(self) -> Player:
        assert self._bot is not None
        return self._bot

    def _hear(self, heard: Sequence[News]) -> "_HeardGame":
        assert self._seat is not None
        self.is_hearing = True
        for each in heard:
            self._player.hear(self._seat.hear(each))
        self.is_hearing = False
        return self._seat


class _HeardGame:
    """What a seat heard. In an open game the news comes without the positions, which the rules make anew."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self.rules, self._colour = rules, colour
        self._news: list[News] = []
        self._watch = rules.watch(colour)

    def hear(self, news: News) -> News:
        """Take in a piece of news; it is whole then."""
        news = self._complete(news, self._news)
        self._news.append(news)
        self._watch.hear(news)
        return news

    def _complete(self, news: News, earlier: Sequence[News]) -> News:
        if not self.rules.is_open or news.action is None:
            return news
        before = earlier[-1].after if earlier else self.rules.start()
        assert before is not None
        return replace(news, after=self.rules.play(before, news.action, news.actor))

    def view(self, beyond: Sequence[News]) -> View:
        """What the seat knows, with some news laid over it that it will not have heard afterwards."""
        if not beyond:
            return self._watch.view()
        news, watch = list(self._news), self.rules.watch(self._colour)
        for each in beyond:
            news.append(self._complete(each, news))
        _feed(watch, news)
        return watch.view()


def _feed(watch: Watch, news: Sequence[News]) -> None:
    for each in news:
        watch.hear(each)


def _simple(action: object) -> int | float | str | None:
    """What a bot chose, as JSON can say it."""
    try:
        return action if isinstance(action, bool) else index(action)  # type: ignore[arg-type]
    except Exception:
        return action if action is None or isinstance(action, float | str) else quote_value(action)
