"""`GameSamples`: a finished game as arrays, with one row per decision of a player."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.plain_games import index_of
from gtp_variants.ai.samples.formats import KIND, VERSION
from gtp_variants.ai.samples.thought import Decisions
from gtp_variants.base.json_values import Json
from gtp_variants.records.news_notation import write_news
from gtp_variants.rules.actions import CHANCE, RESIGN
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News, View, Watch

Columns = Mapping[str, NDArray[np.generic]]

# The policy index stored for a resignation.
NO_INDEX = -1


@dataclass(frozen=True, slots=True)
class GameSamples:
    """A finished game: `columns` with one row per decision, and `about`, which describes the columns.

    `about` holds kind, version, spec, game (its id), players (by colour letter), result (an SGF `RE`, or "void"),
    colours in turn order, rows, and planes, scales, globals and actions of the `Encoder`. With n rows and A policy
    indices, the columns are:

    `planes`  uint8 (n, planes, points): what the side to move sees, as from `Encoder.encode_levels`
    `globals`  float32 (n, globals): the global features of the same view
    `mask`  bool (n, A): the possible tries
    `to_play`  int8 (n,): the side to move
    `index`  int32 (n,): the policy index played; -1 for a resignation
    `visits`  int32 (n, A): the visits of the player's search; all 0 if unknown
    `values`  float32 (n, colours): each colour's expected share of the score; NaN if unknown
    `outcomes`  float32 (n, colours): 1 for a win, 0.5 for a drawn game, 0 for a loss; NaN in a void game
    `score`  float32 (n,): the final lead of the side to move in points; NaN if nothing was counted
    `move`  int32 (n,): the number of the event in the game, from 0
    `news`  text (n,), only with hidden stones: the seat's news since its previous row, one piece per line
    """

    about: Json
    columns: Columns


class SampleColumn(NamedTuple):
    """The type of a column, the value for unknown entries, and the shape of a row, given as fields of `about`."""

    kind: type[np.generic]
    blank: float = 0
    row: tuple[str, ...] = ()


COLUMNS = {
    "planes": SampleColumn(np.uint8, row=("planes", "points")),
    "globals": SampleColumn(np.float32, row=("globals",)),
    "mask": SampleColumn(np.bool_, row=("actions",)),
    "to_play": SampleColumn(np.int8),
    "index": SampleColumn(np.int32),
    "visits": SampleColumn(np.int32, row=("actions",)),
    "values": SampleColumn(np.float32, np.nan, ("colours",)),
    "outcomes": SampleColumn(np.float32, np.nan, ("colours",)),
    "score": SampleColumn(np.float32, np.nan),
    "move": SampleColumn(np.int32),
    "news": SampleColumn(np.str_),
}


def row_shape(name: str, about: Json) -> tuple[int, ...]:
    """Return the shape of one row of a column."""
    points = sum(action >= 0 for action in about["actions"])
    return tuple(points if each == "points" else len(about[each]) for each in COLUMNS[name].row)


def encode_game(
    id: str, game: Game, decisions: Decisions, result: str, players: Mapping[str, str] | None = None
) -> GameSamples:
    """Return the samples of a game, with one row per decision; `result` is as in `GameSamples.about`."""
    rules, encoder = game.rules, Encoder(game.rules)
    moves = [number for number in sorted(decisions) if _is_decision(game, number)]
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
    columns = {
        name: np.full((len(moves), *row_shape(name, about)), column.blank, column.kind)
        for name, column in COLUMNS.items()
        if name != "news"
    }
    seats = _Seats(game)
    for row, number in enumerate(moves):
        position, event = game.positions[number], game.events[number]
        columns["planes"][row], columns["globals"][row] = encoder.encode_levels(seats.look(number))
        columns["mask"][row, [index_of(rules, action) for action in rules.actions(position)]] = True
        columns["to_play"][row] = event.actor
        columns["index"][row] = NO_INDEX if event.action == RESIGN else index_of(rules, event.action)
        columns["move"][row] = number
        thought = decisions[number]
        if thought is not None:
            for action, count in thought.visits.items():
                columns["visits"][row, index_of(rules, action)] = count
            if thought.values:
                columns["values"][row] = thought.values
    _write_result(rules, columns, result)
    if not rules.is_open:
        columns["news"] = np.array(seats.said, np.str_)
    return GameSamples(about, columns)


def _is_decision(game: Game, number: int) -> bool:
    """Return True if an event is a decision of the side to move: a stone, try, pass, swap or resignation."""
    if number >= len(game.events):
        return False
    event, position = game.events[number], game.positions[number]
    is_own = event.actor == position.mover and position.to_play != CHANCE
    return is_own and (event.action == RESIGN or event.action in game.rules.actions(position))


class _Seats:
    """The views of the side to move, event by event. For each, `said` has the seat's news since its last view."""

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
        """Return the view of the side to move before event `number`."""
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
