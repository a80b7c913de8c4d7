"""A JSON Schema of a configuration file, from the keys that its blocks declare. Editors check and complete with it.

python -m gtp_variants.base.config_schema gtp_variants.arena.config.match_config:MatchFile > match.schema.json

A key that is a text to this package may be a number or a truth value to an editor. The schema cannot check that a SPEC,
a bot or a file exists, or that blocks fit each other; only the command can.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from gtp_variants.base.config_files import Key, Reader, keys_of
from gtp_variants.base.json_values import Json

_DRAFT = "http://json-schema.org/draft-07/schema#"


def main(arguments: Sequence[str]) -> int:
    """Print the schema of a dataclass given as MODULE:CLASS; return the exit status."""
    module, _, name = arguments[0].partition(":")
    sys.stdout.write(json.dumps(json_schema(getattr(import_module(module), name)), indent=1) + "\n")
    return 0


def json_schema(kind: type) -> Json:
    """Return the schema of a file whose topmost block a dataclass declares."""
    about = (kind.__doc__ or "").partition("\n")[0]
    return {"$schema": _DRAFT, "description": about, **_block(keys_of(kind)), "type": "object"}


def _block(keys: Iterable[Key]) -> Json:
    """Return the schema of a mapping with these keys and no others; an empty value stands for an empty mapping."""
    properties: Json = {}
    required: list[str] = []
    for key in keys:
        about: Json = {"description": f"{key.meaning}; {key.reader.expected}"}
        if key.missing is not None:
            required.append(key.name)
        elif not key.reader.keys and key.default not in (None, "", (), {}):
            about["default"] = key.reader.show(key.default)
        properties.setdefault(key.name, {**about, **_value(key.reader)})
    found: Json = {"type": ["object", "null"], "properties": properties, "additionalProperties": False}
    return {**found, "required": required} if required else found


def _value(reader: "Reader[object]") -> Json:
    if not reader.keys:
        return dict(reader.schema)
    block = _block(reader.keys)
    if reader.place == ".NAME":
        return {"type": "object", "additionalProperties": {**block, "type": "object"}}
    if reader.place == "[]":
        return {"type": "array", "items": {**block, "type": "object"}}
    return block


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
