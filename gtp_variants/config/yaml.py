"""YAML as people mean it: every scalar is the text that stands there; whoever reads the tree says what it should be.

So `time: 10:00` is no 600, `name: no` no False and `version: 1.10` not 1.1. Merge keys (`<<`) and anchors work; `~`,
`null` and nothing at all are None. A key that is given twice is a fault.
"""

from typing import Any

import yaml

from gtp_variants.errors import ConfigError

_SHOWN = 40
_KEPT = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
_RESOLVERS = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS


def read(text: str) -> tuple[Any, list[str]]:
    """The tree of a YAML text, of dicts, lists, texts and None, and a fault for every key that is given twice.

    The last value of such a key is in the tree. Raises ConfigError for what is no YAML.
    """
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        # Before the tree is made: then the keys of merges stand among those that were given.
        faults = _find_duplicate_keys(node)
        tree = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ConfigError([f"{where}{error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError([f"not YAML: {' '.join(str(error).split())}"]) from None
    except RecursionError:
        raise ConfigError(["nested too deeply"]) from None
    return tree, faults


def _find_duplicate_keys(root: yaml.Node | None) -> list[str]:
    """The keys that a mapping has more than once, each with its path, from the top of the text to its end."""
    found: list[tuple[int, int, str]] = []
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
                    found.append((mark.line, mark.column, f"{where}: is given twice, {on}"))
                lines.setdefault(word, line)
                left.append((where, value))
    return [fault for _, _, fault in sorted(found)]
