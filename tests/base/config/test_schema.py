"""The JSON Schema of match files: what it says of our own files, and of wrong ones."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gtp_variants import configs
from gtp_variants.arena.config.match_config import MatchFile
from gtp_variants.base.config_files import json_schema
from gtp_variants.bridge.core.config import BridgeConfig
from gtp_variants.cli import main

SCHEMA = json_schema(MatchFile)
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def faults(value: Any, schema: Mapping[str, Any], path: str = "") -> list[str]:
    """Return the faults of a value by the schema keywords that ours uses."""
    assert schema.keys() <= {
        *("$schema", "description", "default", "type", "enum", "anyOf", "items", "properties", "required"),
        *("additionalProperties", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    }
    if "anyOf" in schema:
        return [] if any(not faults(value, each) for each in schema["anyOf"]) else [f"{path}: none of"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{path}: {value!r}"]
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(isinstance(value, _TYPES[name]) for name in names):
        return [f"{path}: no {names}"]
    if isinstance(value, int | float) and value < schema.get("minimum", value):
        return [f"{path}: too small"]
    found: list[str] = []
    if isinstance(value, list):
        for index, each in enumerate(value):
            found += faults(each, schema.get("items", {}), f"{path}[{index}]")
    if isinstance(value, dict):
        found += [f"{path}.{name}: missing" for name in schema.get("required", ()) if name not in value]
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, each in value.items():
            below = properties.get(key, others)
            found += [f"{path}.{key}: unknown"] if below is False else faults(each, below, f"{path}.{key}")
    return found


@pytest.mark.parametrize("name", configs.names())
def test_our_match_files_are_as_it_says(name: str) -> None:
    assert faults(yaml.safe_load(configs.path(name).read_text(encoding="utf-8")), SCHEMA) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("playrs: {}", ".playrs: unknown"),
        ("arena: 2", ".arena: 2"),
        ("players: {a: {comand: x}}", ".players.a.comand: unknown"),
        ("players: {a: {}}", ".players.a.command: missing"),
        ("tournament: {type: playof}", ".tournament.type: 'playof'"),
        ("tournament: {type: playoff, pairs: 0}", ".tournament.pairs: too small"),
        ("tournament: {matchups: [{pairs: 1}]}", ".tournament.matchups[0].players: missing"),
        ("concurrency: two", ".concurrency: no ['integer']"),
        ("outputs: {report: {format: [pdf]}}", ".outputs.report.format: none of"),
    ],
)
def test_wrong_files_are_not(text: str, fault: str) -> None:
    assert fault in faults(yaml.safe_load(text), SCHEMA)


def test_every_key_is_explained() -> None:
    pairs = SCHEMA["properties"]["tournament"]["properties"]["pairs"]
    assert "pairs of games with swapped colours" in pairs["description"]
    assert SCHEMA["properties"]["openings"]["properties"]["order"]["default"] == "random"


def test_a_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "match"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(SCHEMA))
    assert json_schema(BridgeConfig)["properties"]


def test_the_page_says_how_an_editor_finds_it() -> None:
    page = (Path(__file__).parents[3] / "docs" / "editors.md").read_text(encoding="utf-8")
    assert re.search(r"# yaml-language-server: \$schema=", page)
