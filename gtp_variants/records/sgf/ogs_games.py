"""Games in the JSON of OGS (online-go.com), as the properties that they would have in SGF, and results of OGS.

The shapes are those of the server's own client, github.com/online-go/goban.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_lowercase

from gtp_variants.base.json_values import Json
from gtp_variants.errors import RecordError
from gtp_variants.lang import load
from gtp_variants.records.json import read_json
from gtp_variants.rules.actions import BLACK, WHITE

# The properties of a node, each with a value or several.
ConvertedNode = Mapping[str, str | list[str]]
# The start of an object with the moves of a game. The API has them inside `gamedata`.
OGS_START = re.compile(r'\s*\{.*?"(?:gamedata|moves)"\s*:', re.DOTALL)
_SIDES = {"black": BLACK, "white": WHITE}
_POINTS = re.compile(r"(\d+(?:\.\d+)?) points?")
_VALUES = load(Path(__file__).with_suffix(".toml"))
_MOST_S = 253_402_300_800  # seconds from 1970 up to the year 9999


def read_ogs(text: str) -> Iterator[ConvertedNode]:
    """Yield the nodes of a game, with the JSON in the property GC. Raises RecordError if it has no moves."""
    outer = _object(read_json(text))
    inner = _object(outer.get("gamedata"))
    data = {**outer, **inner}
    if data.get("original_sgf") or not isinstance(data.get("moves"), list):
        raise RecordError("moves: expected those of a game played at OGS; download this game as SGF")
    size = [data.get("width", 19), data.get("height", 19)]
    players, state, clock = (_object(data.get(key)) for key in ("players", "initial_state", "time_control"))
    main, overtime = _VALUES["clocks"].get(_text(clock, "system") or _text(clock, "time_control"), ("", ""))
    black, white = (re.findall("..?", _text(state, side)) for side in _SIDES)
    count, start_s = data.get("handicap"), data.get("start_time")
    handicap = count if isinstance(count, int) and count > 1 else 0
    # Black's first moves are the handicap, unless its stones are fixed or the game was forked.
    free = handicap if data.get("free_handicap_placement") and not black else 0
    black += [_point(move, size) for move in data["moves"][:free]]
    is_white = free > 0 or data.get("initial_player") == "white"
    yield {
        "SZ": f"{size[0]}" if size[0] == size[1] else f"{size[0]}:{size[1]}",
        **{f"P{side[0].upper()}": _names(data, players, side) for side in _SIDES},
        **{f"{side[0].upper()}R": _rank(_object(players.get(side))) for side in _SIDES},
        "KM": _text(data, "komi"),
        "RU": _text(data, "rules").capitalize(),
        "HA": f"{handicap or ''}",
        "RE": result_of(data, {colour: _object(players.get(side)).get("id") for side, colour in _SIDES.items()}),
        "DT": time.strftime("%F", time.gmtime(start_s)) if type(start_s) is int and 0 < start_s < _MOST_S else "",
        "TM": _text(clock, main),
        "OT": re.sub(r"\{(\w+)\}", lambda key: _text(clock, key[1]) or "?", overtime),
        "GN": _text(data, "game_name") or _text(data, "name"),
        "PC": f"OGS: https://online-go.com/game/{_text(data, 'game_id') or _text(data, 'id')}",
        "AB": black,
        "AW": white,
        "PL": "BW"[is_white] if black or white else "",
        "GC": json.dumps({**outer, "gamedata": inner} if inner else outer, ensure_ascii=False),
    }
    for move in data["moves"][free:]:
        edit = move[3] if isinstance(move, list) and move[3:] else None
        if type(edit) is int and 0 <= edit < 3:
            yield {("AE", "AB", "AW")[edit]: _point(move, size)}
        else:
            yield {"BW"[is_white]: _point(move, size)}
            is_white = not is_white


def _object(value: object) -> Json:
    """Return an object without the keys of the account that downloaded it, such as `auth`; {} for other values."""
    return {key: each for key, each in value.items() if "auth" not in key} if isinstance(value, dict) else {}


def _text(fields: Json, key: str) -> str:
    value = fields.get(key)
    return str(value) if isinstance(value, str | int | float) else ""


def _names(data: Json, players: Json, side: str) -> str:
    """Return the names of a side's team in rengo, or else of its player."""
    team = _object(data.get("rengo_teams")).get(side)
    members = team if isinstance(team, list) and team else [players.get(side)]
    return ", ".join(filter(None, (_text(_object(each), "username") for each in members)))


def _rank(player: Json) -> str:
    """Return a rank: 29 is 1 kyu, 30 is 1 dan, and 37 or 1037 is the first rank of professionals."""
    rank = player.get("ranking", player.get("rank"))
    if not isinstance(rank, int | float) or not 0 < rank < 2000:
        return ""
    whole = int(rank) % 1000
    if rank > 1000 or player.get("professional") or player.get("pro"):
        return f"{whole - 36}p"
    return f"{30 - whole}k" if whole < 30 else f"{whole - 29}d"


def _point(move: object, size: list[object]) -> str:
    """Return the point of a move [x, y, milliseconds, colour of a stone set up, more], counted from the upper left.

    A move off the board becomes a text that is no point, so that the reader of SGF reports it.
    """
    x, y = move[:2] if isinstance(move, list) and len(move) > 1 else (None, None)
    if type(x) is not int or type(y) is not int:
        return str(move)[:20]
    if x < 0 or y < 0:
        return ""
    is_there = all(isinstance(most, int) and at < min(most, 26) for at, most in zip((x, y), size, strict=True))
    return ascii_lowercase[x] + ascii_lowercase[y] if is_there else f"{x},{y}"


def result_of(data: Json, players: Mapping[int, object]) -> str:
    """Return a result as in SGF's `RE`, or "" if there is none. `players` has the ids by colour."""
    outcome = str(data.get("outcome") or "").strip().lower()
    if not outcome:
        return ""
    if outcome.startswith("cancel") or data.get("annulled"):
        return "Void"
    colour = next((each for each, player in players.items() if player and player == data.get("winner")), None)
    points = _POINTS.search(outcome)
    if colour is None:
        return "0" if points or "tie" in outcome or "draw" in outcome else "Void"
    # Other ways to win, such as a moderator's decision, count as forfeits.
    how = points[1] if points else _VALUES["outcomes"].get(outcome.split()[0], "F")
    return f"{'B' if colour == BLACK else 'W'}+{how}"
