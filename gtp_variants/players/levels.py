"""The ten levels of bots, by game and board, and the texts for a bot's title and strength. No bot is loaded here."""

import json
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import log, log10
from pathlib import Path

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.lang import say, sentences
from gtp_variants.players import bots
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules

NUMBERS = range(1, 11)
# The level used against people who choose no level and play without a clock.
DEFAULT_LEVEL = 9
_FILE = Path(__file__).with_name("levels.json")
# Options that make an opponent neither stronger nor weaker, and those of the size.
_ALIKE = {"lang", "dead", "size", "n", "width", "height"}


@dataclass(frozen=True, slots=True)
class Level:
    """The limits of a bot's thinking at one level.

    A move takes at most `seconds` and `playouts`, where 0 is no limit. With a network the limit is `evaluations`
    positions instead of `playouts`, unless `evaluations` is 0. A share `slips` of the moves, which varies from game to
    game, looks only one stone ahead, and a share `guesses` is random.
    """

    playouts: int = 0
    evaluations: int = 0
    seconds: float = 1.0
    slips: float = 0.0
    guesses: float = 0.0

    def playout_limit(self, has_network: bool) -> int:
        """Return the maximum number of playouts per move, with or without a network, or 0 for no limit."""
        return self.evaluations if has_network and self.evaluations else self.playouts


# The highest levels are limited by time alone, to make full use of the machine.
_BY_TIME = (Level(), Level(seconds=5.0))


def level_of(rules: Rules, number: int) -> Level:
    """Return a level, 1 to 10, on the measured board nearest in size. Unmeasured games use the first game's levels."""
    ladders = _ladders()
    boards = ladders.get(rules.name) or next(iter(ladders.values()))
    points = len(rules.board)
    return boards[min(boards, key=lambda measured: abs(log(measured / points)))][number - 1]


@cache
def _ladders() -> dict[str, dict[int, tuple[Level, ...]]]:
    """Return the levels by game and by number of points on the board."""
    found: dict[str, dict[int, tuple[Level, ...]]] = {}
    for ladder in measurements()["ladders"]:
        levels = (*(Level(**level) for level in ladder["levels"]), *_BY_TIME)
        found.setdefault(ladder["game"], {})[ladder["points"]] = levels
    return found


@cache
def measurements() -> Json:
    """Return the measured levels as JSON. `strengths` are the ratings at which a strength in words ends."""
    return Json(json.loads(_FILE.read_text(encoding="utf-8")))


@dataclass(frozen=True, slots=True)
class Opponent:
    """A named opponent at one game: its default bot at a level, with the measured rating."""

    name: str
    level: int
    rating: int

    @property
    def account(self) -> str:
        """The name of its account in a lobby."""
        return self.name.replace(" ", ".")


@cache
def opponents_of(game: str) -> tuple[Opponent, ...]:
    """Return the opponents of a game, the weakest first; none for a game without measurements."""
    told = measurements()["opponents"]
    scores = told["scores"].get(game)
    gains = (400 * log10(score / (100 - score)) for score in scores or ())
    ratings = accumulate(gains, initial=told["first"]) if scores else ()
    found = enumerate(zip(told["names"], ratings, strict=False), 1)
    return tuple(Opponent(name, level, 10 * int(rating / 10 + 0.5)) for level, (name, rating) in found)


def rated_points(rules: Rules) -> int | None:
    """Return the number of points of the usual board, for which ratings hold, or None if other options are unusual."""
    changed = set(rules.options.find_changes(rules.values)) - _ALIKE
    return None if changed else len(parse(rules.name).board)


# The games' default bots, which have levels.
_LEVELLED = {game_class(name).profile.default_bot for name in GAMES}
_UNLIMITED = (("seconds", "0"), ("playouts", "0"))
# Parameters that limit thinking, in the order in which a title mentions them.
_STRENGTHS = ("level", "seconds", "playouts")


def title(bot: str, lang: str) -> str:
    """Return a bot's title with its settings: `mcts:level=6` is "Search, level 6".

    >>> title("mcts:level=6", "en")
    'Search, level 6'
    >>> title("mcts:level=6", "fr")
    'Recherche, niveau 6'
    >>> title("bots/mine.py:Mine:depth=3", "en")
    'Mine, depth=3'
    """
    try:
        name, given = bots.split(bot)
    except NotationError:
        # The bot is an engine, which may have any name, so show the name unchanged.
        return bot
    given = _what_is_set(given)
    in_order = sorted(given, key=lambda key: key not in _STRENGTHS)
    return ", ".join([_base_title(name, lang), *(_setting(key, given[key], lang) for key in in_order)])


def find_bot_by_title(called: str) -> str | None:
    """Return the bot of this package that has this title in any language, or None.

    >>> find_bot_by_title("Recherche, niveau 6")
    'mcts:level=6'
    """
    base, *settings = called.split(", ")
    for lang in LANGUAGES:
        given = [setting for each in settings if (setting := _read_strength(each, lang))]
        # The title may come from a stranger's file, so accept only settings that affect strength.
        if len(given) < len(settings):
            continue
        for name in filter(bots.is_ours, bots.names()):
            bot = ":".join(filter(None, (name, ",".join(given))))
            if _base_title(name, lang) == base and title(bot, lang) == called:
                return bot
    return None


def _read_strength(text: str, lang: str) -> str | None:
    """Return the strength setting in a part of a title as key=value, or None if the part is not a strength setting."""
    for key in _STRENGTHS:
        before, after = _setting(key, "\0", lang).split("\0")
        value = text.removeprefix(before).removesuffix(after)
        if text == f"{before}{value}{after}":
            return f"{key}={value}"
    return None


def _what_is_set(given: dict[str, str]) -> dict[str, str]:
    """Return the parameters that have an effect. The value `none`, 0 playouts and 0 seconds have no effect."""
    return {key: value for key, value in given.items() if value != "none" and (key, value) not in _UNLIMITED}


def _base_title(name: str, lang: str) -> str:
    if bots.is_ours(name):
        is_known = f"name_{name}" in sentences("bots")
        return say(f"bots.name_{name}", lang) if is_known else name.replace("_", " ").capitalize()
    file = bots.file_of(name)
    if file is None:
        return name
    # Prefer the class named after the file, because it says more than the name of the file.
    cls = name.rpartition(".py")[2].strip(":")
    return cls or file.stem


def _setting(key: str, value: str, lang: str) -> str:
    return say(f"bots.title_{key if key in _STRENGTHS else 'also'}", lang, name=key, value=value)


def meaning(bot: str, rules: Rules, lang: str, *, has_clock: bool = False) -> str:
    """Describe how strongly a bot plays a game. Return "" if that is unknown or already in its title."""
    try:
        name, given = bots.split(bot)
    except NotationError:
        return ""
    given = _what_is_set(given)
    if f"meaning_{name}" in sentences("bots"):
        return say(f"bots.meaning_{name}", lang)
    if name not in _LEVELLED or "seconds" in given or "playouts" in given:
        return ""
    number = given.get("level", "")
    if has_clock and number in ("", str(NUMBERS[-1])):
        return say("bots.clock", lang)
    return level_meaning(rules, int(number) if number in map(str, NUMBERS) else DEFAULT_LEVEL, lang)


def level_meanings(bot: str, rules: Rules, lang: str) -> list[str]:
    """Describe the strength of each of a bot's levels, lowest first. The list is empty for a bot without levels."""
    return [level_meaning(rules, number, lang) for number in NUMBERS] if bot in _LEVELLED else []


def level_meaning(rules: Rules, number: int, lang: str) -> str:
    """Describe how strongly a bot of this level, 1 to 10, plays a game."""
    level = level_of(rules, number) if number in NUMBERS else Level()
    careless = level.slips + level.guesses
    if careless >= 1:
        return say("bots.beginner", lang)
    if careless > 0:
        return say("bots.careless", lang, value=max(1, round(100 * careless)))
    if level.playouts:
        return say("bots.moment", lang, value=level.playouts)
    return say("bots.one_second" if level.seconds == 1 else "bots.seconds", lang, value=f"{level.seconds:g}")


def introduce(bot: str, rules: Rules, lang: str, *, has_clock: bool = False) -> str:
    """Return a bot's title and, if known, its strength: "Search, level 9: about a second a move"."""
    called, plays = title(bot, lang), meaning(bot, rules, lang, has_clock=has_clock)
    return say("bots.introduced", lang, title=called, meaning=plays) if plays else called
