"""The rules of a game in a match file: a SPEC with options laid over it, every wrong one told by itself."""

from collections.abc import Container, Mapping

from gtp_variants.config.fields import Node, nearest, quote
from gtp_variants.errors import SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

_YES = {"yes": "true", "on": "true", "no": "false", "off": "false"}


class RulesReader:
    """Makes rules and remembers them, so that what is wrong with a SPEC is told once. Faults go to `node`."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._known: dict[tuple[str, ...], Rules | None] = {}

    def read(self, variant: str, options: Mapping[str, str], path: str) -> Rules | None:
        """The rules of a SPEC and options, which stand in the block at `path`; None after a fault."""
        key = (variant, *sorted(f"{name}={word}" for name, word in options.items()))
        if key not in self._known:
            self._known[key] = self._read(variant, options, self.node.child(path))
        return self._known[key]

    def _read(self, variant: str, options: Mapping[str, str], node: Node) -> Rules | None:
        try:
            cls, given = split_spec(variant)
        except SpecError as error:
            node.child("variant").fault(str(error))
            return None
        known = {option.key: option for option in cls.options}
        keys = [*known, *cls.options.group_keys]
        for name in [name for name in given if name not in keys]:
            node.child("variant").fault(f"{quote(name)}: unknown option of {cls.name}; {nearest(name, keys)}")
            del given[name]
        words = {}
        for name, word in options.items():
            if name not in keys:
                node.child(f"options.{name}").fault(f"unknown option of {cls.name}; {nearest(name, keys)}")
                continue
            kinds = {known[full].kind for full in cls.options.shorthands.get(name, (name,)) if full in known}
            words[name] = _YES.get(word.lower(), word) if kinds == {"bool"} else word
        return _make(cls, {**given, **words}, words, node)


def _make(cls: type[Rules], given: dict[str, str], options: Container[str], node: Node) -> Rules | None:
    """The rules with these options; None after every one that is wrong was noted, each by itself."""
    try:
        return cls(given)
    except SpecError as error:
        about, _, said = str(error).partition("=")
        if about in options:
            node.child(f"options.{about}").fault(said)
        else:
            node.child("variant").fault(str(error))
        if about in given:
            _make(cls, {key: word for key, word in given.items() if key != about}, options, node)
        return None
