"""The command `gtp-variants schema`, which prints the JSON Schema of a configuration file or a text of the protocol."""

import json
import sys
from collections.abc import Sequence
from importlib.resources import files

from gtp_variants.base.config_files import json_schema
from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.cli.commands import DONE
from gtp_variants.cli.parser import CommandParser

# Texts that pass between hosts, engines and servers. Their schemas are files in `gtp_variants/gtp/schemas`.
TEXTS = ("variant-describe", "variant-state", "variant-record", "agreement", "analysis", "news", "server-line")
_CONFIGS = ("match", "bridge")


def main(arguments: Sequence[str]) -> int:
    """Print the schema and return the exit status."""
    sys.stdout.write(json.dumps(schema(parser().parse_args(arguments).name), indent=1, ensure_ascii=False) + "\n")
    return DONE


def parser() -> CommandParser:
    made = CommandParser("schema")
    made.parts["names"] = ", ".join(TEXTS)
    made.add_argument("name", choices=(*_CONFIGS, *TEXTS), metavar="NAME")
    return made


def schema(name: str) -> Json:
    """Return the JSON Schema (draft 7) with one of the names that the command knows."""
    if name == "match":
        from gtp_variants.arena.config.match_config import MatchFile

        return json_schema(MatchFile)
    if name == "bridge":
        from gtp_variants.bridge.core.config import BridgeConfig

        return json_schema(BridgeConfig)
    return parse_object((files("gtp_variants.gtp") / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
