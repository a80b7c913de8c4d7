"""`SpielObserver`: observations of OpenSpiel's players as tensors and strings. `NewsRows` writes news as numbers."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel

from gtp_variants.adapters.openspiel.state import SpielState, number_of
from gtp_variants.ai.nets.encoder import FloatArray
from gtp_variants.players.transcript import common_news
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

# The codes of `gtp_variants.rules.views.Announcement`.
_CODES = ("played", "captured", "atari", "self_atari", "impossible", "passed", "repeated")
# Points packed into one number, because float32 holds whole numbers up to 2**24 exactly.
_POINTS_IN_A_NUMBER = 24


class NewsRows:
    """Writes news as rows of numbers from 0 to 1. Different news give different rows; no news is a row of zeros.

    A row holds the actor and the action, 0 if the seat is not told the action. In a hidden game the row continues with
    the refusal, the shown colour, the count of each of the referee's announcements (0: not made), and the shown
    captured points, 24 per number.
    """

    def __init__(self, rules: Rules, actions: int, outcomes: int) -> None:
        self._rules = rules
        self._points = len(rules.board)
        self._most = max(actions, outcomes)
        self._is_open = rules.is_open
        self._masks = -(-self._points // _POINTS_IN_A_NUMBER)
        self.width = 2 if self._is_open else 4 + len(_CODES) + self._masks

    def write(self, heard: Iterable[News], rows: FloatArray) -> None:
        """Write pieces of news into the first rows, in order."""
        for row, news in zip(rows, heard, strict=False):
            row[0] = (news.actor + 1) / 4
            row[1] = 0 if news.action is None else (number_of(self._rules, news.action) + 1) / self._most
            if not self._is_open:
                self._write_hidden(news, row)

    def _write_hidden(self, news: News, row: FloatArray) -> None:
        row[2] = news.refused
        row[3] = 0 if news.shown is None else (news.shown + 1) / 4
        for item in news.said:
            row[4 + _CODES.index(item.code)] = (item.count + 1) / (self._points + 1)
        for point in news.captured:
            number, bit = divmod(point, _POINTS_IN_A_NUMBER)
            row[4 + len(_CODES) + number] += 2.0 ** (bit - _POINTS_IN_A_NUMBER)


_PRIVATE = pyspiel.PrivateInfoType


class SpielObserver:
    """An observer of states: `set_from` writes into `tensor`, and `dict` holds its named pieces.

    In an open game everything is public. Pieces, by the kind of observation:

    * `planes` (planes, points) and `globals` (features,), or one `picture` (rows, columns, planes + features): the view
      of the player's seat as `gtp_variants.Encoder` gives it. In a hidden game there are no `globals` if public
      information is not observed, and `planes_0`, `globals_0`, `planes_1`, ... if all private information is observed
    * `public` in a hidden game without private information: the player to act (one number per player), the number of
      events that everybody has heard of, and the number of stones that each player has captured
    * `news` (max_game_length, numbers), only with perfect recall: everything that was heard, as `NewsRows` writes it

    >>> import pyspiel, gtp_variants.adapters.openspiel
    >>> from open_spiel.python.observation import make_observation, INFO_STATE_OBS_TYPE
    >>> game = pyspiel.load_game("gtp_phantom(size=4,max_game_length=50)")
    >>> observation = make_observation(game, INFO_STATE_OBS_TYPE)
    >>> observation.set_from(game.new_initial_state(), player=0)
    >>> [name for name in observation.dict]
    ['planes', 'globals', 'news']
    """

    def __init__(self, game: Any, kind: Any) -> None:
        self._rules: Rules = game.rules
        self._encoder, self._picture = game.encoder, game.picture
        self._kind = kind
        self._sees_all = self._rules.is_open and kind.public_info
        seen = _PRIVATE.NONE if self._rules.is_open and not kind.public_info else kind.private_info
        self._players = range(game.num_players())
        self._writers: list[Callable[[SpielState, int], None]] = []
        shapes: dict[str, tuple[int, ...]] = {}
        self._rows = NewsRows(self._rules, game.num_distinct_actions(), game.max_chance_outcomes())
        if self._sees_all or seen == _PRIVATE.SINGLE_PLAYER:
            shapes |= self._seat_shapes("")
            self._writers.append(lambda state, player: self._write_seat(state, player, ""))
        elif seen == _PRIVATE.ALL_PLAYERS:
            for each in self._players:
                shapes |= self._seat_shapes(f"_{each}")
            self._writers.append(self._write_every_seat)
        elif kind.public_info:
            shapes["public"] = (2 * len(self._players) + 1,)
            self._writers.append(self._write_public)
        if kind.perfect_recall and shapes:
            shapes["news"] = (game.max_game_length(), self._rows.width)
            self._writers.append(self._write_news)
        self.tensor: FloatArray = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        self.dict: dict[str, FloatArray] = {}
        first = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[first : first + size].reshape(shape)
            first += size

    def _seat_shapes(self, suffix: str) -> dict[str, tuple[int, ...]]:
        encoder, features = self._encoder, len(self._encoder.globals)
        if self._picture:
            return {f"picture{suffix}": (*encoder.grid, len(encoder.planes) + features)}
        planes = {f"planes{suffix}": (len(encoder.planes), len(self._rules.board))}
        return planes | ({f"globals{suffix}": (features,)} if self._kind.public_info else {})

    # -- tensors ------------------------------------------------------------------------------------------------------

    def set_from(self, state: SpielState, player: int) -> None:
        """Write a player's observation of a state."""
        for write in self._writers:
            write(state, player)

    def _write_every_seat(self, state: SpielState, player: int) -> None:
        for each in self._players:
            self._write_seat(state, each, f"_{each}")

    def _write_seat(self, state: SpielState, player: int, suffix: str) -> None:
        planes, features = self._encode(state, self._rules.colours[player])
        if self._picture:
            picture = self.dict[f"picture{suffix}"]
            rows, columns = self._encoder.cells.T
            picture[rows, columns, : len(planes)] = planes.T
            # The global features are repeated at every point of the picture.
            picture[rows, columns, len(planes) :] = features
            return
        self.dict[f"planes{suffix}"][...] = planes
        if f"globals{suffix}" in self.dict:
            self.dict[f"globals{suffix}"][...] = features

    def _encode(self, state: SpielState, colour: int) -> tuple[FloatArray, FloatArray]:
        played, encoder = state.played, self._encoder
        if played.state.to_play == colour:
            planes = np.empty((len(encoder.planes), len(self._rules.board)), np.float32)
            features = np.empty(len(encoder.globals), np.float32)
            played.state.encode(planes, features)
            return planes, features
        seen = played.state.position() if self._rules.is_open else played.view(colour)
        planes, features = encoder.encode(seen, colour)
        return planes, features

    def _write_public(self, state: SpielState, player: int) -> None:
        public, players, heard = self.dict["public"], len(self._players), list(_common(state))
        public[...] = 0
        if not state.is_terminal():
            public[state.current_player()] = 1
        public[players] = len(heard) / state.get_game().max_game_length()
        for each, colour in enumerate(self._rules.colours):
            taken = sum(news.count for news in heard if news.actor == colour)
            public[players + 1 + each] = taken / len(self._rules.board)

    def _write_news(self, state: SpielState, player: int) -> None:
        rows = self.dict["news"]
        rows[...] = 0
        self._rows.write(self._recall(state, player), rows)

    def _recall(self, state: SpielState, player: int) -> Iterator[News] | list[News]:
        """Return the news to record: in an open game every event.

        In a hidden game `private_info` decides: the common news, each event's news for its actor, or the player's news.
        """
        if self._rules.is_open:
            game = state.game
            return [News(event.actor, event.action) for event in game.events]
        if self._kind.private_info == _PRIVATE.NONE:
            return _common(state)
        if self._kind.private_info == _PRIVATE.ALL_PLAYERS:
            return _news_of_actors(state.game)
        return state.heard(player)

    # -- strings ------------------------------------------------------------------------------------------------------

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the observation as text: all news with perfect recall, else what is known now; "" if nothing is."""
        if self._rules.is_open and not self._kind.public_info:
            return ""
        if self._rules.is_open or self._kind.private_info == _PRIVATE.SINGLE_PLAYER:
            return self._string_of_seat(state, player)
        if self._kind.private_info == _PRIVATE.ALL_PLAYERS:
            return "\n".join(self._string_of_seat(state, each) for each in self._players)
        if not self._kind.public_info:
            return ""
        heard = list(map(_describe_news, _common(state)))
        known = heard if self._kind.perfect_recall else [str(len(heard)), *heard[-1:]]
        return "\n".join([self._rules.spec, *known])

    def _string_of_seat(self, state: SpielState, player: int) -> str:
        rules, colour = self._rules, self._rules.colours[player]
        if self._kind.perfect_recall:
            return "\n".join([rules.spec, f"seat {colour}", *map(_describe_news, state.heard(player))])
        view = state.played.view(colour)
        if not self._kind.public_info:
            return f"seat {colour} {bytes(view.stones).hex()} {sorted(view.tried)}"
        position = view.position
        draws = () if position is None else position.draws
        known = bytes(view.stones).hex(), view.to_play, view.turn, view.passes, sorted(view.tried), view.hidden, draws
        return f"{rules.spec} seat {colour} {known} {_describe_news(view.news[-1]) if view.news else ''}"


def _common(state: SpielState) -> Iterator[News]:
    """Yield the news that every seat was told, without the parts that differ between seats."""
    game, rules = state.game, state.rules
    for (before, after), event in zip(pairwise(game.positions), game.events, strict=True):
        news = common_news(rules, [rules.hears(before, event, after, colour) for colour in rules.colours])
        if news is not None:
            yield news


def _news_of_actors(game: Game) -> Iterator[News]:
    """Yield each event's news as its actor was told it: what all players together know."""
    for (before, after), event in zip(pairwise(game.positions), game.events, strict=True):
        colour = game.rules.colours[0] if event.actor == CHANCE else event.actor
        news = game.rules.hears(before, event, after, colour)
        yield News(event.actor, event.action) if news is None else news


def _describe_news(news: News) -> str:
    said = " ".join(f"{item.code}={item.count}{list(item.points)}" for item in news.said)
    refused = f" refused {'' if news.shown is None else news.shown}".rstrip() if news.refused else ""
    return f"{news.actor}{refused} {'?' if news.action is None else news.action} {list(news.captured)} {said}".rstrip()
