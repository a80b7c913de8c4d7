"""An engine for the family of Go games: Aléago, Go Fantôme, Rosette, Alter Igo, Pentalath and Go itself.

>>> import gtp_variants as gv
>>> rules = gv.parse("aleago:size=9,dice=1d4")
>>> position = rules.play(rules.start(), 3)          # the dice show 4: line 4 and the centre are open
>>> position = rules.play(position, rules.board.point("E5"))
>>> position.to_play == gv.CHANCE                    # before White's stone the dice are thrown again
True

Names are loaded on first use: importing the package loads neither search code nor numpy.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from gtp_variants._version import __version__

if TYPE_CHECKING:
    from gtp_variants import matches as matches, statistics as statistics
    from gtp_variants.ai.belief.hypothesis import imagine as imagine
    from gtp_variants.ai.belief.worlds import Worlds as Worlds
    from gtp_variants.ai.mcts.final_status import find_dead_chains as find_dead_chains
    from gtp_variants.ai.mcts.result import OnProgress as OnProgress, SearchResult as SearchResult
    from gtp_variants.ai.mcts.search import playouts as playouts, search as search
    from gtp_variants.ai.mcts.settings import (
        SETTINGS as SETTINGS,
        AvoidedMove as AvoidedMove,
        SearchLimits as SearchLimits,
        check_settings as check_settings,
    )
    from gtp_variants.ai.mcts.tree_search import Thinker as Thinker
    from gtp_variants.ai.nets.encoder import Encoder as Encoder, symmetries as symmetries
    from gtp_variants.ai.nets.evaluators import Evaluator as Evaluator, SharedEvaluator as SharedEvaluator
    from gtp_variants.ai.nets.games.batch import Batch as Batch, Observations as Observations
    from gtp_variants.ai.nets.games.state import State as State
    from gtp_variants.ai.nets.network import Network as Network
    from gtp_variants.ai.nets.raw_evaluation import hidden_stone_chances as hidden_stone_chances
    from gtp_variants.ai.samples.reader import Samples as Samples
    from gtp_variants.arena.api import (
        Match as Match,
        MatchProgress as MatchProgress,
        MatchResult as MatchResult,
        match as match,
    )
    from gtp_variants.base.number_ranges import NumberRange as NumberRange
    from gtp_variants.errors import (
        ConfigError as ConfigError,
        EvaluatorError as EvaluatorError,
        GameOver as GameOver,
        IllegalMove as IllegalMove,
        NotationError as NotationError,
        PeerError as PeerError,
        RecordError as RecordError,
        SpecError as SpecError,
        VariantsError as VariantsError,
    )
    from gtp_variants.players import bots as _bots
    from gtp_variants.players.clock import Clock as Clock
    from gtp_variants.players.levelled_seat import LevelledSeat as LevelledSeat
    from gtp_variants.players.player import Player as Player, Seat as Seat
    from gtp_variants.players.table import Table as Table
    from gtp_variants.players.thinking.endgame import Endgame as Endgame
    from gtp_variants.players.thinking.time_manager import TimeManager as TimeManager
    from gtp_variants.records.drawing.diagram import diagram as diagram
    from gtp_variants.records.drawing.svg import svg as svg
    from gtp_variants.records.files import load as load, load_all as load_all, save as save
    from gtp_variants.records.state import read_position as read_position, write_position as write_position
    from gtp_variants.rules import GAMES as GAMES, parse as parse
    from gtp_variants.rules.actions import (
        BLACK as BLACK,
        CHANCE as CHANCE,
        EMPTY as EMPTY,
        PASS as PASS,
        RED as RED,
        RESIGN as RESIGN,
        SWAP as SWAP,
        WHITE as WHITE,
        Event as Event,
    )
    from gtp_variants.rules.boards.board import Board as Board
    from gtp_variants.rules.boards.chains import chain as chain, is_eye as is_eye, liberties as liberties
    from gtp_variants.rules.dice_stream import DiceStream as DiceStream
    from gtp_variants.rules.game import Game as Game, random_game as random_game
    from gtp_variants.rules.outcome import Outcome as Outcome
    from gtp_variants.rules.position import Position as Position
    from gtp_variants.rules.rules import Rules as Rules
    from gtp_variants.rules.views import News as News, View as View

    load_bot = _bots.load

_HOMES = {
    "arena.api": "Match MatchProgress MatchResult match",
    "errors": "ConfigError EvaluatorError GameOver IllegalMove NotationError PeerError RecordError SpecError "
    "VariantsError",
    "players.bots": "load_bot",
    "players.clock": "Clock",
    "players.player": "Player Seat",
    "players.levelled_seat": "LevelledSeat",
    "players.table": "Table",
    "players.thinking.endgame": "Endgame",
    "players.thinking.time_manager": "TimeManager",
    "records.drawing.diagram": "diagram",
    "records.files": "load load_all save",
    "records.drawing.svg": "svg",
    "records.state": "read_position write_position",
    "rules": "GAMES parse",
    "rules.boards.board": "Board",
    "rules.boards.chains": "chain is_eye liberties",
    "rules.dice_stream": "DiceStream",
    "rules.game": "Game random_game",
    "ai.mcts.final_status": "find_dead_chains",
    "ai.mcts.search": "playouts search",
    "ai.mcts.settings": "SETTINGS AvoidedMove SearchLimits check_settings",
    "ai.mcts.tree_search": "Thinker",
    "ai.mcts.result": "OnProgress SearchResult",
    "ai.nets.games.batch": "Batch Observations",
    "ai.nets.encoder": "Encoder symmetries",
    "ai.nets.evaluators": "Evaluator SharedEvaluator",
    "ai.nets.raw_evaluation": "hidden_stone_chances",
    "ai.nets.network": "Network",
    "ai.nets.games.state": "State",
    "base.number_ranges": "NumberRange",
    "rules.actions": "BLACK CHANCE EMPTY PASS RED RESIGN SWAP WHITE Event",
    "rules.outcome": "Outcome",
    "rules.position": "Position",
    "rules.rules": "Rules",
    "rules.views": "News View",
    "ai.samples.reader": "Samples",
    "ai.belief.hypothesis": "imagine",
    "ai.belief.worlds": "Worlds",
}
# Public names that differ from the names in their own modules.
_AT_HOME = {"load_bot": "load"}
# Modules whose whole contents are public.
_MODULES = ("matches", "statistics")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_NEED_NUMPY = {
    "ai.nets.encoder",
    "ai.nets.evaluators",
    "ai.nets.games.batch",
    "ai.nets.games.state",
    "ai.samples.reader",
}

# `from gtp_variants import *` without numpy imports the names that do not need it.
_has_numpy = find_spec("numpy") is not None
_names = [name for name, home in _HOME_OF.items() if _has_numpy or home not in _NEED_NUMPY]
__all__ = ["__version__", *sorted((*_names, *_MODULES))]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _set_up_drawing()
    try:
        module = import_module(f"{__name__}.{home}")
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        from gtp_variants.base.installation import install_command

        raise ImportError(f"gtp_variants.{name} needs numpy; {install_command('arrays')}") from error
    value = getattr(module, _AT_HOME.get(name, name))
    globals()[name] = value
    return value


@cache
def _set_up_drawing() -> None:
    """Let notebooks draw games, and `print` draw positions. The drawing code is loaded on first use."""
    from gtp_variants.rules.game import Game
    from gtp_variants.rules.position import Position

    Game.draw_svg = lambda game: str(__getattr__("svg")(game))
    Position.draw = lambda position: import_module(f"{__name__}.records.drawing.diagram").draw_position(position)


def __dir__() -> list[str]:
    return __all__
