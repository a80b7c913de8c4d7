"""Games in the JSON of OGS (online-go.com), as the properties that they would have in SGF, and results of OGS.

The shapes are those of the server's own client, github.com/online-go/goban.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from string import ascii_lowercase

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.lang import load
from gtp_variants.records.json import read_json
from gtp_variants.rules.actions import BLACK, WHITE

# The start of an object with the moves of a game. The API has them inside `gamedata`.
OGS_START = re.compile(r'\s*\{.*?"(?:gamedata|moves)"\s*:', re.DOTALL)
# The properties of a node, each with a value or several.
ConvertedNode = Mapping[str, str | list[str]]
_SIDES = {"black": BLACK, "white": WHITE}
_EDITS = ("AE", "AB", "AW")
_POINTS = re.compile(r"(\d+(?:\.\d+)?) points?")
_VALUES = load(Path(__file__).with_suffix(".toml"))
# 30 is 1 dan, 29 is 1 kyu, and 37 is the first rank of professionals, to which some data adds 1000.
_FIRST_DAN, _BELOW_PROFESSIONALS, _ADDED = 30, 36, 1000
# Seconds from 1970 up to the year 9999.
_MOST_S = 253_402_300_800


def read_ogs(text: str) -> Iterator[ConvertedNode]:
    """Yield the nodes of a game in the JSON of OGS. Raises RecordError if it is not JSON or lacks the moves.

    The whole JSON becomes the property GC.
    """
    outer = _object(read_json(text))
    inner = _object(outer.get("gamedata"))
    data = {**outer, **inner}
    if data.get("original_sgf") or not isinstance(data.get("moves"), list):
        raise RecordError("moves: expected those of a game played at OGS; download this game as SGF")
    width, height = (data.get(key, 19) for key in ("width", "height"))
    players, teams, state, clock = (
        _object(data.get(key)) for key in ("players", "rengo_teams", "initial_state", "time_control")
    )
    main, overtime = _VALUES["clocks"].get(_text(clock, "system") or _text(clock, "time_control"), ("", ""))
    black, white = (re.findall("..?", _text(state, side)) for side in _SIDES)
    moves = _moves(data["moves"], width, height)
    handicap = data["handicap"] if isinstance(data.get("handicap"), int) and data["handicap"] > 1 else 0
    # Black's first moves are the handicap, unless its stones are fixed or the game was forked.
    free = handicap if data.get("free_handicap_placement") and not black else 0
    black += [point for point, _ in islice(moves, min(free, len(data["moves"])))]
    is_white = free > 0 or data.get("initial_player") == "white"
    start_s = data.get("start_time")
    is_dated = isinstance(start_s, int) and 0 < start_s < _MOST_S
    yield {
        "SZ": f"{width}" if width == height else f"{width}:{height}",
        "PB": _names(teams, players, "black"),
        "PW": _names(teams, players, "white"),
        "BR": _rank(_object(players.get("black"))),
        "WR": _rank(_object(players.get("white"))),
        "KM": _text(data, "komi"),
        "RU": _text(data, "rules").capitalize(),
        "HA": f"{handicap or ''}",
        "RE": result_of(data, {colour: _object(players.get(side)).get("id") for side, colour in _SIDES.items()}),
        "DT": time.strftime("%Y-%m-%d", time.gmtime(start_s)) if is_dated else "",
        "TM": _text(clock, main),
        "OT": re.sub(r"\{(\w+)\}", lambda key: _text(clock, key[1]) or "?", overtime),
        "GN": _text(data, "game_name") or _text(data, "name"),
        "PC": f"OGS: https://online-go.com/game/{_text(data, 'game_id') or _text(data, 'id')}",
        "AB": black,
        "AW": white,
        "PL": "BW"[is_white] if black or white else "",
        "GC": json.dumps({**outer, "gamedata": inner} if inner else outer, ensure_ascii=False),
    }
    for point, edit in moves:
        if edit is None:
            yield {"BW"[is_white]: point}
            is_white = not is_white
        else:
            yield {_EDITS[edit]: point}


def _object(value: object) -> Json:
    """Return an object without the keys of the account that downloaded it, such as `auth`; {} for other values."""
    return {key: each for key, each in value.items() if "auth" not in key} if isinstance(value, dict) else {}


def _text(fields: Json, key: str) -> str:
    value = fields.get(key)
    return str(value) if isinstance(value, str | int | float) else ""


def _names(teams: Json, players: Json, side: str) -> str:
    """Return the names of a side's team in rengo, or else of its player."""
    team = teams.get(side)
    members = team if isinstance(team, list) and team else [players.get(side)]
    return ", ".join(filter(None, (_text(_object(each), "username") for each in members)))


def _rank(player: Json) -> str:
    rank = player.get("ranking", player.get("rank"))
    if not isinstance(rank, int | float) or not 0 < rank < 2 * _ADDED:
        return ""
    whole = int(rank) % _ADDED
    if rank > _ADDED or player.get("professional") or player.get("pro"):
        return f"{whole - _BELOW_PROFESSIONALS}p"
    return f"{_FIRST_DAN - whole}k" if whole < _FIRST_DAN else f"{whole - _FIRST_DAN + 1}d"


def _moves(moves: list[object], width: object, height: object) -> Iterator[tuple[str, int | None]]:
    """Yield the point of each move as in SGF, and for a stone that was set up its colour, 0 for one removed, or None.

    A move is [x, y, milliseconds, colour only of a stone set up, further facts], from the upper left corner. A point
    off the board becomes a text that is no point, so that the reader of SGF reports it.
    """
    for move in moves:
        x, y, _, edit = [*(move if isinstance(move, list) else []), None, None, None, None][:4]
        if not (type(x) is int and type(y) is int):
            point = str(move)[:20]
        elif x < 0 or y < 0:
            point = ""
        elif all(isinstance(most, int) and at < min(most, 26) for at, most in ((x, width), (y, height))):
            point = ascii_lowercase[x] + ascii_lowercase[y]
        else:
            point = f"{x},{y}"
        yield point, edit if type(edit) is int and 0 <= edit < len(_EDITS) else None


def result_of(data: Json, players: Mapping[int, object]) -> str:
    """Return a result as in SGF's `RE`, or "" if there is none. `players` has the ids by colour."""
    outcome = str(data.get("outcome") or "").strip()
    if not outcome:
        return ""
    if outcome.lower().startswith("cancel") or data.get("annulled"):
        return "Void"
    winner = data.get("winner")
    colour = next((each for each, player in players.items() if winner and player == winner), None)
    points = _POINTS.search(outcome)
    if colour is None:
        return "0" if points or "tie" in outcome.lower() or "draw" in outcome.lower() else "Void"
    # Other ways to win, such as a moderator's decision, count as forfeits.
    how = points[1] if points else _VALUES["outcomes"].get(outcome.lower().split()[0], "F")
    return f"{'B' if colour == BLACK else 'W'}+{how}"
