"""`GameSamples`: a finished game as arrays, a row for each decision of a player."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.plain_games import index_of
from gtp_variants.ai.samples.formats import KIND, VERSION
from gtp_variants.ai.samples.thought import Decisions, Thought
from gtp_variants.base.json_values import Json
from gtp_variants.records.news_notation import write_news
from gtp_variants.rules.actions import CHANCE, RESIGN
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View, Watch

Columns = Mapping[str, NDArray[np.generic]]

# The index of a resignation, which no policy has.
NO_INDEX = -1


@dataclass(frozen=True, slots=True)
class GameSamples:
    """A finished game: `about` it and what its columns mean, and the `columns`, a row for each decision.

    `about` holds kind, version, spec, game (its id), players (by the letter of their colour), result (as in an SGF
    `RE`, "void" for none), colours in turn order, rows, and planes, scales, globals and actions as an `Encoder` has
    them. The columns of n rows and A policy indices:

    `planes`    uint8 (n, planes, points): what the side to move sees, as `Encoder.encode_levels` gives it
    `globals`   float32 (n, globals): the same of the whole board
    `mask`      bool (n, A): what it may try
    `to_play`   int8 (n,): its colour
    `index`     int32 (n,): the policy index of what it played; -1 if it resigned
    `visits`    int32 (n, A): how often it tried each action in its search; all 0 where it does not say
    `values`    float32 (n, colours): the share of the score that it expected for each; NaN where it does not say
    `outcomes`  float32 (n, colours): 1 for a win, 0.5 for a draw, 0 for a loss; NaN in a void game
    `score`     float32 (n,): by how many points the side to move leads at the end; NaN where no points were counted
    `move`      int32 (n,): which of the game's events it is, from 0
    `news`      text (n,), of hidden games: what its seat was told since its row before, a line each
    """

    about: Json
    columns: Columns


def encode_game(
    id: str, game: Game, decisions: Decisions, result: str, players: Mapping[str, str] | None = None
) -> GameSamples:
    """The samples of a game; events that are no decisions have no row. `result` is as in `GameSamples.about`."""
    rules, encoder = game.rules, Encoder(game.rules)
    moves = [number for number in sorted(decisions) if _is_decision(game, number)]
    columns = _allocate(encoder, len(moves))
    seats = _Seats(game)
    for row, number in enumerate(moves):
        position, event = game.positions[number], game.events[number]
        columns["planes"][row], columns["globals"][row] = encoder.encode_levels(seats.look(number))
        columns["mask"][row, [index_of(rules, action) for action in rules.actions(position)]] = True
        columns["to_play"][row] = event.actor
        columns["index"][row] = NO_INDEX if event.action == RESIGN else index_of(rules, event.action)
        columns["move"][row] = number
        _write_thought(rules, columns, row, decisions[number])
    _write_result(rules, columns, result)
    if not rules.is_open:
        columns["news"] = np.array(seats.said, np.str_)
    about = {
        "kind": KIND,
        "version": VERSION,
        "spec": rules.spec,
        "game": id,
        "players": dict(players or {}),
        "result": result,
        "colours": list(rules.colours),
        "rows": len(moves),
        "planes": list(encoder.planes),
        "scales": encoder.scales.tolist(),
        "globals": list(encoder.globals),
        "actions": encoder.actions.tolist(),
    }
    return GameSamples(about, columns)


def _is_decision(game: Game, number: int) -> bool:
    """Whether an event is the side to move's own: a stone, a try, a pass, a swap or its resignation."""
    if number >= len(game.events):
        return False
    event, position = game.events[number], game.positions[number]
    is_own = event.actor == position.mover and position.to_play != CHANCE
    return is_own and (event.action == RESIGN or event.action in game.rules.actions(position))


class _Seats:
    """What the side to move sees, event by event in order; `said` is what its seat was told, a text for each look."""

    def __init__(self, game: Game) -> None:
        self.said: list[str] = []
        self._game = game
        self._next = 0
        hidden = () if game.rules.is_open else game.rules.colours
        self._watches: dict[int, Watch] = {colour: game.rules.watch(colour) for colour in hidden}
        self._lines: dict[int, list[str]] = {colour: [] for colour in hidden}
        for colour in hidden:
            self._hear(colour, game.rules.hears_start(game.positions[0], colour))

    def look(self, number: int) -> Position | View:
        """What the side to move sees before event `number`."""
        game, rules = self._game, self._game.rules
        if rules.is_open:
            return game.positions[number]
        for past in range(self._next, number):
            for colour in self._watches:
                before, after = game.positions[past], game.positions[past + 1]
                self._hear(colour, rules.hears(before, game.events[past], after, colour))
        self._next = number
        mover = game.positions[number].mover
        self.said.append("\n".join(self._lines[mover]))
        self._lines[mover].clear()
        return self._watches[mover].view()

    def _hear(self, colour: int, news: News | None) -> None:
        if news is None:
            return
        self._watches[colour].hear(news)
        said = () if news.seating is not None else write_news(self._game.rules, news)
        if said:
            self._lines[colour].append(" ".join(said))


def _allocate(encoder: Encoder, rows: int) -> dict[str, NDArray[np.generic]]:
    actions, colours = len(encoder.actions), len(encoder.rules.colours)
    return {
        "planes": np.zeros((rows, len(encoder.planes), len(encoder.cells)), np.uint8),
        "globals": np.zeros((rows, len(encoder.globals)), np.float32),
        "mask": np.zeros((rows, actions), np.bool_),
        "to_play": np.zeros(rows, np.int8),
        "index": np.zeros(rows, np.int32),
        "visits": np.zeros((rows, actions), np.int32),
        "values": np.full((rows, colours), np.nan, np.float32),
        "outcomes": np.full((rows, colours), np.nan, np.float32),
        "score": np.full(rows, np.nan, np.float32),
        "move": np.zeros(rows, np.int32),
    }


def _write_thought(rules: Rules, columns: Columns, row: int, thought: Thought | None) -> None:
    if thought is None:
        return
    for action, count in thought.visits.items():
        columns["visits"][row, index_of(rules, action)] = count
    if thought.values:
        columns["values"][row] = thought.values


def _write_result(rules: Rules, columns: Columns, result: str) -> None:
    if result == "void":
        return
    winner, _, margin = result.partition("+")
    letters = [COLOUR_LETTERS[colour].upper() for colour in rules.colours]
    columns["outcomes"][:] = [0.5 if winner == "0" else float(winner == letter) for letter in letters]
    if winner == "0" and rules.is_scored:
        columns["score"][:] = 0
    with suppress(ValueError):
        lead = float(margin)
        is_ahead = columns["to_play"] == rules.colours[letters.index(winner)]
        columns["score"][:] = np.where(is_ahead, lead, -lead)
