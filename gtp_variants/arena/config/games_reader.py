"""Reads what the games of a match file have in common: the variant with its options, limits, what a failure costs."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gtp_variants.arena.config import openings
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.players_reader import PlayersReader
from gtp_variants.config.tree import nearest, shown
from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.rules import Rules

_YES = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_GAME = (
    *("variant", "options", "komi", "handicap", "move_limit", "on_move_limit", "try_limit", "score", "illegal"),
    *("limits", "on_crash", "on_timeout", "max_failures", "match", "tiebreak"),
)
# Keys of which one value is all there is, and why.
_ONLY = {
    "score": ("referee", "the rules count, nobody else"),
    "illegal": ("loss", "a try that Go Fantôme refuses is no failure, any other loses the game"),
}


@dataclass(slots=True)
class GameBlock:
    """A `defaults` or `game` block as it stands, before it means anything."""

    path: str = "defaults"
    variant: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)

    def over(self, base: "GameBlock") -> "GameBlock":
        """These settings laid over others."""
        options = self.options if self.variant is not None else {**base.options, **self.options}
        variant, path = (self.variant, self.path) if self.variant is not None else (base.variant, base.path)
        return GameBlock(path, variant, options, {**base.values, **self.values}, {**base.limits, **self.limits})


class GamesReader(PlayersReader):
    """Reads `defaults` and `game` blocks. `rules_of` are the rules of every SPEC that was read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.rules_of: dict[str, Rules] = {}
        self._specs: dict[tuple[str, ...], Rules | None] = {}

    def settings(self, tree: Any, path: str) -> GameBlock:
        block = self.mapping(tree, path, _GAME)
        for key, (only, why) in _ONLY.items():
            value = block.pop(key, only)
            if value != only:
                self.fault(f"{path}.{key}", f"{shown(str(value))}: there is only {only}: {why}")
        found = GameBlock(path, self.take(block, "variant", path, self.text, None))
        if "options" in block:
            given = self.take(block, "options", path, self.pairs, {})
            found.options = {key.lower(): word for key, word in given.items()}
        komi = self.take(block, "komi", path, self.text, None)
        if komi is not None:
            found.options = {"komi": komi, **found.options}
        found.limits = self.limits(block.get("limits"), f"{path}.limits")
        readers = {
            "handicap": self.not_negative,
            "move_limit": self.whole,
            "on_move_limit": self.at_limit,
            "try_limit": self.whole_or_none,
            "max_failures": self.whole_or_none,
            "on_crash": self.on_crash,
            "on_timeout": self.on_timeout,
            "match": self.of_two,
            "tiebreak": self.tiebreak,
        }
        for key, read in readers.items():
            if key in block:
                found.values[key] = read(block[key], f"{path}.{key}")
        return found

    def at_limit(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("score", "void", "draw"))

    def whole_or_none(self, value: Any, path: str) -> int | None:
        return None if value is None or value == "none" else self.whole(value, path)

    def on_crash(self, value: Any, path: str) -> str | None:
        word = self.text(value, path)
        if word is None or word in ("loss", "stop"):
            return word
        name, _, count = word.partition(":")
        if name == "replay" and (not count or count.isdecimal()):
            return f"replay:{count or 1}"
        self.fault(path, f"expected loss, replay:N or stop, not {shown(word)}")
        return None

    def on_timeout(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("loss", "stop"))

    def of_two(self, value: Any, path: str) -> int | None:
        word = self.choice(value, path, ("1", "2"))
        return None if word is None else int(word)

    def tiebreak(self, value: Any, path: str) -> str | None:
        return self.choice(value, path, ("none", "black_moves"))

    def game(self, given: GameBlock) -> GameSettings | None:
        """What a block means once it was laid over the defaults."""
        if given.variant is None:
            self.fault("defaults.variant", "is missing; a SPEC such as aleago:size=13")
            return None
        rules = self.rules(given.variant, given.options, given.path)
        if rules is None:
            return None
        values = dict(given.values)
        has_score = rules.standing(rules.start()) is not None
        if not has_score and values.get("on_move_limit") == "score":
            self.fault(f"{given.path}.on_move_limit", f"{rules.name} has no score; expected void or draw")
        values.setdefault("on_move_limit", "score" if has_score else "void")
        if values.get("handicap"):
            try:
                openings.handicap_points(rules, values["handicap"])
            except NotationError as error:
                self.fault(f"{given.path}.handicap", str(error))
        self.match_of_two(rules, values, given.path)
        values["on_crash"], _, count = str(values.get("on_crash") or "loss").partition(":")
        values["replays"] = int(count or 0)
        if any(value is None for key, value in values.items() if key not in ("max_failures", "try_limit")):
            return None
        return GameSettings(rules.spec, **values)

    def match_of_two(self, rules: Rules, values: Mapping[str, Any], path: str) -> None:
        if values.get("match") == 2 and len(rules.colours) != 2:
            self.fault(f"{path}.match", f"a match of two games is for two players, not {len(rules.colours)}")
        if values.get("tiebreak", "none") != "none" and values.get("match") != 2:
            self.fault(f"{path}.tiebreak", "decides a match of two games; expected `match: 2` beside it")

    def rules(self, variant: str, options: Mapping[str, str], path: str) -> Rules | None:
        key = (variant, *sorted(f"{name}={word}" for name, word in options.items()))
        if key in self._specs:
            return self._specs[key]
        self._specs[key] = None
        try:
            cls, given = split_spec(variant)
        except SpecError as error:
            self.fault(f"{path}.variant", str(error))
            return None
        known = {option.key: option for option in cls.options}
        keys = [*known, *cls.more_keys()]
        for name in [name for name in given if name not in keys]:
            hint = nearest(name, keys)
            self.fault(f"{path}.variant", f"{shown(name)}: unknown option of {cls.name}; {hint}")
            del given[name]
        words = {}
        for name, word in options.items():
            if name not in keys:
                hint = nearest(name, keys)
                self.fault(f"{path}.options.{name}", f"unknown option of {cls.name}; {hint}")
                continue
            kinds = {known[full].kind for full in cls.shorthands.get(name, (name,)) if full in known}
            words[name] = _YES.get(word.lower(), word) if kinds == {"bool"} else word
        rules = self.made(cls, {**given, **words}, words, path)
        if rules is not None:
            self._specs[key] = self.rules_of[rules.spec] = rules
        return rules

    def made(self, cls: type[Rules], given: dict[str, str], options: Container[str], path: str) -> Rules | None:
        """The rules with these options; None after every one that is wrong was noted, each by itself."""
        try:
            return cls(given)
        except SpecError as error:
            about, _, said = str(error).partition("=")
            if about in options:
                self.fault(f"{path}.options.{about}", said)
            else:
                self.fault(f"{path}.variant", str(error))
            if about in given:
                self.made(cls, {key: word for key, word in given.items() if key != about}, options, path)
            return None
