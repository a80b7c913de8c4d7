"""YAML as people mean it: every scalar is the text that stands there; whoever reads the tree says what it should be.

So `time: 10:00` is no 600, `name: no` no False and `version: 1.10` not 1.1. Merge keys (`<<`) and anchors work; `~`,
`null` and nothing at all are None. A key that is given twice is a fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from gtp_variants.errors import ConfigError

_SHOWN = 40
# Aliases can make of a short text a tree without end, and one that contains itself paths without end.
_MOST_PLACES = 100_000
_DEEPEST_PLACE = 64
_KEPT = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
_RESOLVERS = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS


# Line and column, from 1.
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML text: its tree of dicts, lists, texts and None, and where things stand in it.

    `values` and `keys` are the places of values and of their keys by path, such as `players.mine`; `repeated` are keys
    that are given twice: path, place and a sentence for each. The last value of such a key is in the tree.
    """

    tree: Any
    values: Mapping[str, Place] = field(default_factory=dict)
    keys: Mapping[str, Place] = field(default_factory=dict)
    repeated: tuple[tuple[str, Place, str], ...] = ()


def read(text: str, file: str = "") -> Document:
    """What a YAML text says. Raises ConfigError, with the name of the file if there is one, for what is no YAML."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        # Before the tree is made: then the keys of merges stand among those that were given.
        repeated = _find_duplicate_keys(node)
        tree = None if node is None else loader.construct_document(node)
        # Afterwards: then the keys of merges stand where they are merged, too.
        values, keys = _find_places(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = "" if mark is None else locate(file, (mark.line + 1, mark.column + 1))
        raise ConfigError([f"{where}{error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError([f"not YAML: {' '.join(str(error).split())}"]) from None
    except RecursionError:
        raise ConfigError(["nested too deeply"]) from None
    return Document(tree, values, keys, repeated)


def locate(file: str, place: Place) -> str:
    """What stands before a fault: FILE:LINE:COLUMN as editors and terminals find it, or in words without a file."""
    line, column = place
    return f"{file}:{line}:{column}: " if file else f"line {line}, column {column}: "


def _find_places(root: yaml.Node | None) -> tuple[dict[str, Place], dict[str, Place]]:
    """The places of all values and keys by path; of what is aliased the place where it is written."""
    values: dict[str, Place] = {}
    keys: dict[str, Place] = {}
    left = [("", root, 0)]
    while left:
        path, node, depth = left.pop()
        if node is None or depth > _DEEPEST_PLACE or len(values) > _MOST_PLACES:
            continue
        values[path] = node.start_mark.line + 1, node.start_mark.column + 1
        if isinstance(node, yaml.SequenceNode):
            left += [(f"{path}[{index}]", each, depth + 1) for index, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            # The last one of a key counts.
            by_key = {str(key.value): (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}
            for word, (key, value) in by_key.items():
                where = f"{path}.{word}".removeprefix(".")
                keys[where] = key.start_mark.line + 1, key.start_mark.column + 1
                left.append((where, value, depth + 1))
    return values, keys


def _find_duplicate_keys(root: yaml.Node | None) -> tuple[tuple[str, Place, str], ...]:
    """The keys that a mapping has more than once, with path, place and a sentence, from the top of the text down."""
    found: list[tuple[Place, str, str]] = []
    seen: set[int] = set()
    left = [("", root)]
    while left:
        path, node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += [(f"{path}[{index}]", each) for index, each in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                # Any other key cannot be read at all, which is told elsewhere.
                word, mark = str(key.value) if isinstance(key, yaml.ScalarNode) else "?", key.start_mark
                line = mark.line + 1
                where = f"{path}.{word[:_SHOWN]}".removeprefix(".")
                if word in lines:
                    on = f"on line {line}" if lines[word] == line else f"on lines {lines[word]} and {line}"
                    found.append(((line, mark.column + 1), where, f"is given twice, {on}"))
                lines.setdefault(word, line)
                left.append((where, value))
    return tuple((path, place, sentence) for place, path, sentence in sorted(found))
