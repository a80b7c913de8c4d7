"""The options of our bots and the settings of a search with an evaluator, as their docstrings say them."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from gtp_variants.cli.help.tables import table_row
from gtp_variants.errors import ConfigError, NotationError
from gtp_variants.mcts.settings import PuctSettings, SearchLimits, SearchSettings
from gtp_variants.players.bots import is_ours, load, names, parameters, set_parameter
from gtp_variants.players.player import Player

# A line that begins what a docstring says of a name, such as "`seconds`  how long".
_NAMED = re.compile(r"`(\w+)`\s+(.*)")
# No number can be this, and below 0 nothing that a bot counts.
_NO_NUMBER, _BELOW_ALL = "?", "-1"


@dataclass(frozen=True, slots=True)
class Described:
    """What a docstring says: of the whole, before its list of names and after it, and of each name."""

    before: str
    meanings: Mapping[str, str]
    after: str


def read_docstring(kind: type) -> Described:
    """What the docstring of a class says of it, of each name that it lists, and then."""
    before: list[str] = []
    after: list[str] = []
    meanings: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(kind.__doc__ or "").splitlines():
        found = _NAMED.fullmatch(line)
        if found:
            name, meanings[found[1]] = found[1], found[2]
        elif name and line.startswith(" "):
            meanings[name] += f" {line.strip()}"
        else:
            name = ""
            (after if meanings else before).append(line)
    return Described("\n".join(before).strip(), meanings, "\n".join(after).strip())


def bots_page() -> Iterator[str]:
    """The page about the options of our bots."""
    yield from ("# Bots and their options", "")
    yield "A bot is named `NAME[:OPTION=VALUE,...]` wherever one is asked for, such as `mcts:level=3`;"
    yield "`bot-param OPTION VALUE` sets an option while it plays."
    yield "[Bots, levels and time](../bots.md) tells how to choose."
    for name in names():
        if is_ours(name):
            yield from _bot(name, load(name))


def settings_page() -> Iterator[str]:
    """The page about the settings of a search with an evaluator or a network."""
    described = read_docstring(PuctSettings)
    yield from ("# Settings of a search with an evaluator", "", described.before, "")
    yield "Keywords of `gv.search` and `gv.Thinker` beside an [evaluator](../evaluators.md) or a network."
    meanings = {**read_docstring(SearchLimits).meanings, **described.meanings}
    yield from ("", "| setting | usual | meaning |", "|---|---|---|")
    for field in fields(PuctSettings):
        yield table_row(f"`{field.name}`", _written(field.default), meanings[field.name])


def _bot(name: str, bot: Player) -> Iterator[str]:
    described, known = read_docstring(type(bot)), parameters(bot)
    yield from ("", f"## {name}", "", described.before, "")
    if not known:
        yield "It has no options."
        return
    own = {**read_docstring(SearchLimits).meanings, **described.meanings}
    yield from _options(bot, own, known)
    if described.after:
        yield from ("", described.after)
    for title, kind in (("without a network", SearchSettings), ("with a network", PuctSettings)):
        meanings = {key: text for key, text in read_docstring(kind).meanings.items() if key in known and key not in own}
        if meanings:
            yield from ("", f"### {name} {title}", "")
            yield from _options(bot, meanings, {field.name: field.default for field in fields(kind)})


def _options(bot: Player, meanings: Mapping[str, str], usual: Mapping[str, object]) -> Iterator[str]:
    """The table of those options of a bot whose meanings are given."""
    yield from ("| option | value | usual | meaning |", "|---|---|---|---|")
    for key in parameters(bot):
        if key in meanings:
            yield table_row(f"`{key}`", _values(bot, key), _written(usual[key]), meanings[key])


def _values(bot: Player, key: str) -> str:
    """What an option may be, as the bot says when it refuses something else."""
    expected = (_refusal(bot, key, text) for text in (_NO_NUMBER, _BELOW_ALL))
    return ", ".join(dict.fromkeys(filter(None, expected))) or "a text"


def _refusal(bot: Player, key: str, text: str) -> str:
    """What the bot says that it expected instead of a text; "" if it takes it."""
    before = getattr(bot, key)
    try:
        set_parameter(bot, key, text)
    except NotationError as error:
        return str(error).partition("expected ")[2]
    except ConfigError as error:
        fault = next(fault for fault in error.faults if fault.startswith(f"{key}="))
        return fault.partition("expected ")[2]
    setattr(bot, key, before)
    return ""


def _written(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{text.lower() if isinstance(value, bool) else text}`"
