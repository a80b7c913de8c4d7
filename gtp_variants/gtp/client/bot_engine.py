"""The engine around a bot of somebody else, in a process of its own.

The process is started, spoken to in GTP and ended as any engine. Its own commands are the methods of `_ServedBot`. Each
takes one argument, pickled arguments in Base64, and answers with a JSON object. So the bot gets what a bot in our own
process gets: every piece of news, the exact clock and seed, and the outcome. An error in the bot refuses the command.
"""

import json
import os
import pickle
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import asdict, replace
from operator import index
from typing import BinaryIO

from gtp_variants._version import __version__
from gtp_variants.ai.samples.thought import find_thought
from gtp_variants.base.json_values import Json
from gtp_variants.base.processes.secrecy import protect_memory
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.players import bots
from gtp_variants.players.bot_description import describe_error, describe_here, quote_value
from gtp_variants.players.clock import Clock
from gtp_variants.players.player import Player
from gtp_variants.rules import parse
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View

# The answers to the commands that every engine has.
_ANSWERS = {"protocol_version": "2", "name": "bot", "version": __version__, "quit": "", "list_commands": "quit"}


def main() -> None:
    """Answer commands until `quit` or the end of the input."""
    protect_memory()
    requests, answers = _take_pipes()
    served = _ServedBot()
    for line in requests:
        words = line.decode().split()
        number = words.pop(0) if words[0].isdigit() else ""
        sign, text = "=", _ANSWERS.get(words[0])
        if text is None:
            sign, text = served.answer(*words)
        answers.write(f"{sign}{number} {text}\n\n".encode())
        answers.flush()
        if words[0] == "quit":
            return


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the input and output streams, moved to descriptors that the bot cannot use by mistake."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Redirect the bot's standard output to standard error.
    os.dup2(2, 1)
    return requests, answers


class _ServedBot:
    """The bot and its seat. Every public method but `answer` is a command, and returns a JSON object or None."""

    def __init__(self) -> None:
        self._bot: Player | None = None
        self._rules: dict[str, Rules] = {}
        self._seat: _HeardGame | None = None
        self._found: object = None
        self._is_hearing = False

    def answer(self, method: str, packed: str) -> tuple[str, str]:
        """Return "=" and the answer to a command, or "?" and the error."""
        try:
            # Answer in JSON, because reading a pickle could run the bot's code in the process that asks.
            return "=", json.dumps(getattr(self, method)(*pickle.loads(b64decode(packed))) or {})
        except (Exception, SystemExit) as error:
            where = "in hear: " if self._is_hearing else ""
            said: Json = {"failure": where + describe_error(error)}
            if isinstance(error, ConfigError):
                said["faults"] = list(error.faults)
            elif isinstance(error, NotationError):
                said["refusal"] = str(error)
            return "?", json.dumps(said)

    def describe(self, name: str) -> Json:
        """Return the fields of the bot's `BotDescription`."""
        found = asdict(describe_here(name))
        return {**found, "source": found["source"] and str(found["source"])}

    def load(self, name: str) -> None:
        self._bot, self._seat, self._is_hearing = bots.load(name), None, False

    def set_parameter(self, key: str, text: str) -> None:
        bots.set_parameter(self._bot, key, text)

    def sit(self, spec: str, colour: int, seed: str) -> None:
        rules = self._rules.setdefault(spec, parse(spec))
        self._seat = _HeardGame(rules, colour)
        self._player.sit(rules, colour, seed)

    def choose(self, heard: Sequence[News], beyond: Sequence[News], clock: Clock) -> Json:
        """Return the bot's action after the news in `heard`. `beyond` is temporary news, only for this view."""
        seat = self._hear(heard)
        action = self._player.choose(seat.view(beyond), clock)
        answer: Json = {"action": _simple(action), "explanation": str(getattr(self._bot, "explanation", ""))[:1000]}
        before, self._found = self._found, getattr(self._bot, "found", None)
        thought = None if self._found is before else find_thought(seat.rules, self._found)
        if thought is not None:
            answer["found"] = {"visits": list(thought.visits.items()), "values": thought.values}
        return answer

    def leave(self, heard: Sequence[News], outcome: Outcome | None) -> None:
        self._hear(heard)
        self._player.leave(outcome)

    @property
    def _player(self) -> Player:
        assert self._bot is not None
        return self._bot

    def _hear(self, heard: Sequence[News]) -> "_HeardGame":
        assert self._seat is not None
        self._is_hearing = True
        for each in heard:
            self._player.hear(self._seat.hear(each))
        self._is_hearing = False
        return self._seat


class _HeardGame:
    """The news for a seat. In an open game it arrives without positions, which the rules recompute."""

    def __init__(self, rules: Rules, colour: int) -> None:
        self.rules, self._colour = rules, colour
        self._news: list[News] = []
        self._watch = rules.watch(colour)

    def hear(self, news: News) -> News:
        """Store a piece of news, and return the news with its position."""
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
        """Return the seat's knowledge, including the temporary news `beyond`."""
        if not beyond:
            return self._watch.view()
        news, watch = list(self._news), self.rules.watch(self._colour)
        for each in beyond:
            news.append(self._complete(each, news))
        for each in news:
            watch.hear(each)
        return watch.view()


def _simple(action: object) -> int | float | str | None:
    """Return a bot's action as a JSON value."""
    try:
        return action if isinstance(action, bool) else index(action)  # type: ignore[arg-type]
    except Exception:
        return action if action is None or isinstance(action, float | str) else quote_value(action)
