"""YAML as people mean it: every scalar is the text that stands there; whoever reads the tree says what it should be.

So `time: 10:00` is no 600, `name: no` no False and `version: 1.10` not 1.1. Merge keys (`<<`) and anchors work; `~`,
`null` and nothing at all are None. A key that is given twice is a fault.
"""

from typing import Any

import yaml

from gtp_variants.errors import ConfigError

_KEPT = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}
_RESOLVERS = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = _RESOLVERS

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.faults: list[str] = []
        self.checked: set[int] = set()

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Where keys of this mapping still stand alone, before those of a merge join them."""
        if id(node) not in self.checked:
            self.checked.add(id(node))
            lines: dict[str, int] = {}
            for key, _ in node.value:
                word, line = str(key.value), key.start_mark.line + 1
                if word in lines:
                    self.faults.append(f"line {line}: {word[:40]!r} is given twice, first on line {lines[word]}")
                lines.setdefault(word, line)
        super().flatten_mapping(node)


def read(text: str) -> Any:
    """The tree of a YAML text: dicts, lists, texts and None. Raises ConfigError."""
    try:
        loader = _Loader(text)
        tree = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ConfigError([f"{where}{error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError([f"not YAML: {' '.join(str(error).split())}"]) from None
    except RecursionError:
        raise ConfigError(["nested too deeply"]) from None
    if loader.faults:
        raise ConfigError(loader.faults)
    return tree
