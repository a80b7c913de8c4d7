"""What people are told of a bot: what it is called and how strong it plays. Programs use its name with parameters.

Nothing here loads the bot.

The ten levels: what each thinks with, game by game and board by board.
"""

import json
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path

from gtp_variants.errors import NotationError
from gtp_variants.lang import say, sentences
from gtp_variants.players import bots
from gtp_variants.rules import GAMES, game_class
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.rules import Rules

NUMBERS = range(1, 11)
# Against people who set nothing and have no clock.
DEFAULT_LEVEL = 9
_FILE = Path(__file__).with_name("levels.json")


@dataclass(frozen=True, slots=True)
class Level:
    """What a strength thinks with.

    `playouts` a move, 0 for no such limit, and at most so many `seconds`. With `evaluations` a network judges that many
    positions instead, where there is one that pays; a level in playouts alone searches without. Of its moves the share
    `slips`, which varies from game to game, looks one stone ahead instead, and the share `guesses` is any point.
    """

    playouts: int = 0
    evaluations: int = 0
    seconds: float = 1.0
    slips: float = 0.0
    guesses: float = 0.0

    def playout_limit(self, has_network: bool) -> int:
        """How many playouts a move has, with a network that judges positions or without one; 0 for no such limit."""
        return self.evaluations if has_network and self.evaluations else self.playouts


# The highest levels are times, so that they are what the machine can do.
_BY_TIME = (Level(), Level(seconds=5.0))


def level_of(rules: Rules, number: int) -> Level:
    """A strength, 1 to 10, at a game: that of the board with the most similar number of points.

    Games that were not measured have the levels of the first that was.
    """
    ladders = _ladders()
    boards = ladders.get(rules.name) or next(iter(ladders.values()))
    points = len(rules.board)
    return boards[min(boards, key=lambda measured: abs(log(measured / points)))][number - 1]


@cache
def _ladders() -> dict[str, dict[int, tuple[Level, ...]]]:
    """Game -> points of the board -> its levels from 1 on."""
    found: dict[str, dict[int, tuple[Level, ...]]] = {}
    for ladder in json.loads(_FILE.read_text(encoding="utf-8"))["ladders"]:
        levels = (*(Level(**level) for level in ladder["levels"]), *_BY_TIME)
        found.setdefault(ladder["game"], {})[ladder["points"]] = levels
    return found


# Whoever plays a game by default has levels.
_LEVELLED = {game_class(name).profile.default_bot for name in GAMES}
_UNLIMITED = (("seconds", "0"), ("playouts", "0"))
# Parameters that say how long it thinks, in the order in which they are told.
_STRENGTHS = ("level", "seconds", "playouts")


def title(bot: str, lang: str) -> str:
    """What a bot is called, with what is set of it: `mcts:level=6` is "Search, level 6".

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
        # An engine's, which may be called anything.
        return bot
    given = _what_is_set(given)
    return ", ".join([_base_title(name, lang), *(_setting(key, given[key], lang) for key in _in_order(given))])


def find_bot_by_title(called: str) -> str | None:
    """The bot of ours that has a title in one of the languages, with what is set of it; None if there is none.

    >>> find_bot_by_title("Recherche, niveau 6")
    'mcts:level=6'
    """
    base, *settings = called.split(", ")
    for lang in LANGUAGES:
        given = [setting for each in settings if (setting := _read_strength(each, lang))]
        # A file is a stranger's: it says how strong a bot was, and not what to load or how much of the machine to take.
        if len(given) < len(settings):
            continue
        for name in filter(bots.is_ours, bots.names()):
            bot = ":".join(filter(None, (name, ",".join(given))))
            if _base_title(name, lang) == base and title(bot, lang) == called:
                return bot
    return None


def _read_strength(text: str, lang: str) -> str | None:
    """What `_setting` tells of a strength, as it is written after a bot's name; None of anything else."""
    for key in _STRENGTHS:
        before, after = _setting(key, "\0", lang).split("\0")
        value = text.removeprefix(before).removesuffix(after)
        if text == f"{before}{value}{after}":
            return f"{key}={value}"
    return None


def _what_is_set(given: dict[str, str]) -> dict[str, str]:
    """Parameters without those that set nothing: 0 playouts or seconds are no limit."""
    return {key: value for key, value in given.items() if value != "none" and (key, value) not in _UNLIMITED}


def _in_order(given: dict[str, str]) -> list[str]:
    return sorted(given, key=lambda key: key not in _STRENGTHS)


def _base_title(name: str, lang: str) -> str:
    if bots.is_ours(name):
        is_known = f"name_{name}" in sentences("bots")
        return say(f"bots.name_{name}", lang) if is_known else name.replace("_", " ").capitalize()
    file = bots.file_of(name)
    if file is None:
        return name
    # The class that a file's name is followed by says more than the file.
    cls = name.rpartition(".py")[2].strip(":")
    return cls or file.stem


def _setting(key: str, value: str, lang: str) -> str:
    return say(f"bots.title_{key if key in _STRENGTHS else 'also'}", lang, name=key, value=value)


def meaning(bot: str, rules: Rules, lang: str, *, has_clock: bool = False) -> str:
    """How strong a bot of ours plays at a game, in words; "" for one that is not ours or says so in its title.

    `has_clock`: whether the game has one, which alone then says how long the strongest think.
    """
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
    return level_meaning(rules, int(number) if number.isdecimal() else DEFAULT_LEVEL, lang)


def level_meanings(bot: str, rules: Rules, lang: str) -> list[str]:
    """How strong each level of a bot plays at a game, the lowest first; none for one without levels."""
    return [level_meaning(rules, number, lang) for number in NUMBERS] if bot in _LEVELLED else []


def level_meaning(rules: Rules, number: int, lang: str) -> str:
    """How strong a level plays at a game, in words; 1 to 10."""
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
    """What a bot is called and how strong it plays: "Search, level 9: about a second a move"."""
    called, plays = title(bot, lang), meaning(bot, rules, lang, has_clock=has_clock)
    return say("bots.introduced", lang, title=called, meaning=plays) if plays else called
