"""The games of a match as columns of short values, from which the script of a page makes rows: some 15 bytes a game."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.config.player_config import ProgramConfig
from gtp_variants.arena.result_row import ResultRow

# Digits of the columns with a letter a game.
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DRAWN, _VOID = "-", "x"
# What is said of games must not outgrow the games: so many different notes, each so long.
_MOST_NOTES = 300
_LONGEST_NOTE = 160
_OTHER_NOTE = "more was said than there is room for: see its record"


def game_columns(config: MatchConfig, rows: Iterable[ResultRow], names: Sequence[str]) -> Mapping[str, object]:
    """Every game, by matchup, pair and leg; `names` are the players in the order in which links count them.

    `rounds` are, by matchup, [first pair, last pair] of rounds without a gap, or [pair, legs]. `seats` has a letter a
    game, the index of its players in the `seatings` of its matchup; `winners` the seat of the winner, "-" or "x" of a
    void game; `kinds` and `results` index `kind_names` and `result_names`. `took` is in tenths of a second. `notes` are
    by game, `same` is the game of which one is a duplicate, and `logs` are the games whose talk with programs was kept.
    """
    games = sorted(rows, key=lambda row: (row.matchup, row.pair, row.leg))
    kinds, results, notes = _Index(), _Index(), _Index()
    seatings = {matchup: _Index() for matchup in dict.fromkeys(row.matchup for row in games)}
    seen: dict[object, int] = {}
    keys = [(row.matchup, row.players, row.fingerprint) if row.fingerprint else row.id for row in games]
    firsts = [seen.setdefault(key, index) for index, key in enumerate(keys)]
    programs = {name for name, player in config.players.items() if isinstance(player, ProgramConfig)}
    return {
        "names": names,
        "rounds": _rounds(games),
        "seats": "".join(_DIGITS[seatings[row.matchup].of(row.players)] for row in games),
        "seatings": {matchup: found.values for matchup, found in seatings.items()},
        "winners": "".join(_winner(row) for row in games),
        "kinds": "".join(_DIGITS[kinds.of(row.status)] for row in games),
        "kind_names": kinds.values,
        "results": [results.of(row.result) for row in games],
        "result_names": results.values,
        "moves": [row.moves for row in games],
        "took": [round(10 * row.took_s) for row in games],
        "same": {index: first for index, first in enumerate(firsts) if first != index},
        "notes": {index: notes.of(_note(row, notes)) for index, row in enumerate(games) if row.why},
        "note_texts": notes.values,
        "logs": [index for index, row in enumerate(games) if any(who in programs for who, _, _ in row.failures)],
    }


class _Index:
    """Values in the order in which they were met first."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._known: dict[object, int] = {}

    def __contains__(self, value: object) -> bool:
        return value in self._known

    def of(self, value: object) -> int:
        """The number of a value."""
        number = self._known.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


def _winner(row: ResultRow) -> str:
    if row.is_void:
        return _VOID
    return _DRAWN if row.winner is None else str(row.players.index(row.winner))


def _note(row: ResultRow, notes: _Index) -> str:
    text = row.why if len(row.why) <= _LONGEST_NOTE else row.why[: _LONGEST_NOTE - 1] + "…"
    return text if text in notes or len(notes.values) < _MOST_NOTES else _OTHER_NOTE


def _rounds(games: Sequence[ResultRow]) -> dict[str, list[list[object]]]:
    found: dict[str, list[list[object]]] = {}
    for (matchup, pair), legs_of in groupby(games, key=lambda row: (row.matchup, row.pair)):
        legs = list(legs_of)
        rounds = found.setdefault(matchup, [])
        if len(legs) < len(legs[0].players):
            rounds.append([pair, "".join(row.leg for row in legs)])
        elif rounds and rounds[-1][1] == pair - 1:
            rounds[-1][1] = pair
        else:
            rounds.append([pair, pair])
    return found
