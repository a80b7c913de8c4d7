"""Positions as one line of text that reads back exactly: a JSON object of the fields that are not at their defaults."""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import MISSING, Field, fields, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits


def write_position(position: Position) -> str:
    """Return a position as one line of text, including the boards seen before.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("alter-igo:size=3")
    >>> gv.write_position(rules.play(rules.start(), rules.board.point("B2")))[:50]
    '{"stones":"....b....","mover":2,"turn":2,"last":[1'
    """
    values = {each: getattr(position, each.name) for each in fields(position) if each.compare}
    return json.dumps(
        {each.name: _write(v) for each, v in values.items() if v != _default(each)}, separators=(",", ":")
    )


def read_position(rules: Rules, text: str) -> Position:
    """Return the position in a text of `write_position`. Raises NotationError for a text that is not one of this game.

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
    """Return a value of JSON as its type hint demands. Raises ValueError, TypeError or KeyError if it does not fit."""
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
