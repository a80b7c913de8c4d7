"""Games, positions and views as JSON: the values of GTP's `variant-describe` and `variant-state`.

docs/protocol/formats.md explains the keys. The GTP engine and every other host use these functions. A position can
also be written as one line of text and read back without loss: a JSON object with the fields that differ from their
defaults.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.records.notation import write_move
from gtp_variants.rules.actions import LEAVING, PASS, RESIGN
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from gtp_variants.rules.options import text_of
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits
from gtp_variants.rules.traits import DicedRules, HiddenRules
from gtp_variants.rules.views import Announcement, News, View


def describe_rules(rules: Rules) -> Json:
    """Describe a configured game: its players, its options, its board, and where to draw the points."""
    defaults, board = type(rules)(), rules.board
    vertices, order = board.vertices, board.order
    described: Json = {
        "name": rules.name,
        "title": rules.title,
        "players": [COLOUR_LETTERS[colour] for colour in rules.colours],
        "options": [
            {
                "name": option.key,
                "type": option.kind,
                "default": text_of(defaults.values[option.key]),
                "choices": option.words(),
                "meaning": option.meaning,
            }
            for option in rules.options
        ],
    }
    if rules.options.rule_sets:
        described["rule_sets"] = {name: dict(given) for name, given in rules.options.rule_sets.items()}
    described |= {
        "grid": [board.width, board.height],
        "geometry": board.geometry,
        "points": {vertices[p]: [list(board.cells[p]), [round(part, 4) for part in board.drawn_at(p)]] for p in order},
        "edges": [[vertices[p], vertices[q]] for p, q in board.edges()],
    }
    if board.faces:
        described["faces"] = [rules.board.vertices_of(face) for face in board.faces]
    if isinstance(rules, DicedRules):
        described["lines"] = {vertices[point]: rules.lines[point] for point in order}
    return described


def describe_game(game: Game, legal: Iterable[int] | None = None) -> Json:
    """Describe the current state of a game. `legal` are the actions to list, by default all legal actions."""
    rules, position, outcome = game.rules, game.position, game.outcome
    is_over = rules.is_over(position)
    letters, last = COLOUR_LETTERS, position.last
    return {
        "variant": rules.name,
        "move_number": position.turn - 1,
        "to_play": letters[position.mover],
        "over": is_over,
        "suspended": rules.is_suspended(position),
        "result": None if outcome is None else outcome.sgf,
        "reason": "" if outcome is None else outcome.sentence(rules.lang),
        "stones": _write_stones(rules, position.stones),
        "captures": {letters[colour]: position.taken[colour] for colour in rules.colours},
        "legal": [] if is_over else write_actions(rules, rules.legal(position) if legal is None else legal),
        "passes": position.passes,
        "draw": None,
        "announcements": [],
        "last": None if last is None else _describe_last(rules, last.actor, last.action, position.captured),
        **describe_position(rules, position),
    }


def describe_view(rules: Rules, view: View) -> Json:
    """Describe a hidden game as a seat knows it from its news, with the same keys as `describe_game`."""
    is_suspended = not view.final and view.passes >= rules.end_passes
    is_over = view.final or is_suspended
    turns = [news for news in view.news if _is_turn(news)]
    last = next((news for news in reversed(view.news) if _is_turn(news) or news.action in LEAVING), None)
    free = [point for point, there in enumerate(view.stones) if not there]
    said = next((news.said for news in reversed(view.news) if news.said), ())
    letters = COLOUR_LETTERS
    return {
        "variant": rules.name,
        "move_number": view.turn - 1,
        "to_play": letters[view.to_play],
        "over": is_over,
        "suspended": is_suspended,
        "result": None,
        "reason": "",
        "stones": _write_stones(rules, view.stones),
        "captures": {
            letters[colour]: sum(news.count for news in turns if news.actor == colour) for colour in rules.colours
        },
        "legal": [] if is_over else write_actions(rules, [*free, PASS]),
        "passes": view.passes,
        "draw": None,
        "last": None if last is None else _describe_last(rules, last.actor, last.action, last.captured),
        "announcements": describe_announcements(rules, said),
    }


def describe_for_seat(game: Game, view: View, legal: Sequence[int]) -> Json:
    """Describe what a seat may know: its view during a hidden game, and everything otherwise.

    `legal` are the actions open to that seat, even out of turn.
    """
    if game.rules.is_open or game.rules.is_final(game.position):
        return describe_game(game, legal)
    return describe_view(game.rules, view)


def describe_position(rules: Rules, position: Position) -> Json:
    """Describe the parts that only some games have: the draw, announcements, marked points and facts."""
    described: Json = {}
    if isinstance(rules, DicedRules):
        described["draw"] = rules.describe_draw(position)
    if isinstance(rules, HiddenRules):
        described["announcements"] = describe_announcements(rules, rules.announcements(position))
    described |= {name: rules.board.vertices_of(points) for name, points in rules.find_marks(position).items()}
    return described | rules.facts(position)


def describe_announcements(rules: Rules, said: Sequence[Announcement]) -> list[Json]:
    """Describe the referee's announcements after a try. Announcements in one sentence share its text."""
    texts = rules.texts(said) if isinstance(rules, HiddenRules) else []
    return [
        {
            "code": item.code,
            "colour": COLOUR_LETTERS[item.colour],
            "count": item.count,
            "points": rules.board.vertices_of(item.points),
            "text": text,
        }
        for item, text in zip(said, texts, strict=True)
    ]


def write_actions(rules: Rules, actions: Iterable[int]) -> list[str]:
    """Return the vertices of actions in the board's order, then `swap`, then `pass`."""
    actions = sorted(actions)
    points = rules.board.vertices_of(action for action in actions if action >= 0)
    return points + [write_move(rules.board, action) for action in actions if action < 0]


def _write_stones(rules: Rules, stones: bytes) -> dict[str, str]:
    return {rules.board.vertices[p]: COLOUR_LETTERS[stones[p]] for p in rules.board.order if stones[p]}


def _describe_last(rules: Rules, actor: int, action: int | None, captured: Sequence[int]) -> Json:
    """Describe the last stone, pass, swap or departure. Every way of leaving is reported as `resign`."""
    action = RESIGN if action in LEAVING else action
    return {
        "colour": COLOUR_LETTERS[actor],
        "vertex": None if action is None else write_move(rules.board, action),
        "captured": rules.board.vertices_of(captured),
    }


def _is_turn(news: News) -> bool:
    """Return True if the news is about a pass or an accepted stone."""
    is_stone = news.action is None or news.action >= 0 or news.action == PASS
    return is_stone and not news.refused and news.seating is None


# -- a position as one line of text ------------------------------------------------------------------------------------


def write_position(position: Position) -> str:
    """Return a position as one line of text, including its history.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("alter-igo:size=3")
    >>> gv.write_position(rules.play(rules.start(), rules.board.point("B2")))[:50]
    '{"stones":"....b....","mover":2,"turn":2,"last":[1'
    """
    values = {each: getattr(position, each.name) for each in fields(position) if each.compare}
    written = {each.name: _write(value) for each, value in values.items() if value != _default(each)}
    return json.dumps(written, separators=(",", ":"))


def read_position(rules: Rules, text: str) -> Position:
    """Return the position in a text from `write_position`. Raises NotationError unless it is a position of this game.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=3")
    >>> position = rules.play(rules.start(), rules.board.point("B2"))
    >>> gv.read_position(rules, gv.write_position(position)) == position
    True
    """
    kind = type(rules.start())
    try:
        values = _read_fields(kind, parse_object(text))
        position = kind(**values, board=rules.board)
        check_fits(rules, position)
    except (ValueError, TypeError, KeyError, zlib.error, ConfigError) as error:
        raise NotationError(f"expected a position of {rules.short_spec}, got {text[:40]!r}: {error}") from None
    return position


def _default(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _write(value: Any) -> object:
    if isinstance(value, bytes):
        return "".join(COLOUR_LETTERS[each] for each in value)
    if isinstance(value, History):
        boards = (_write(key) for key, count in value.counts().items() for _ in range(count))
        return b64encode(zlib.compress("\n".join(map(str, boards)).encode())).decode()
    if is_dataclass(value):
        return [_write(getattr(value, each.name)) for each in fields(value) if each.compare]
    if isinstance(value, tuple | frozenset):
        return [_write(each) for each in (sorted(value) if isinstance(value, frozenset) else value)]
    return value


def _read_fields(kind: type[Any], found: Json) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {name: _read(hints[name], value) for name, value in found.items()}


def _read(hint: Any, value: Any) -> Any:
    """Convert a JSON value to the type of a hint. Raises ValueError, TypeError or KeyError if that is impossible."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return None if value is None else _read(inner[0], value)
    if hint is bytes:
        return bytes(COLOUR_LETTERS.index(letter) for letter in value)
    if hint is History:
        boards = zlib.decompress(b64decode(value)).decode().split("\n")
        return History.of([_read(bytes, board) for board in boards])
    if isinstance(hint, type) and is_dataclass(hint):
        names = [each.name for each in fields(hint) if each.compare]
        return hint(**_read_fields(hint, dict(zip(names, value, strict=True))))
    if origin is frozenset:
        return frozenset(_read(inner[0], each) for each in value)
    if origin is tuple:
        hints = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_read(each, item) for each, item in zip(hints, value, strict=True))
    if type(value) is not hint and (type(value), hint) != (int, float):
        raise ValueError(f"{value!r:.20} is not of type {hint.__name__}")
    return value
