"""The configuration of a match as typed values for `gtp_variants.Match`: players, games, pairings, stops, outputs.

>>> import gtp_variants as gv
>>> from gtp_variants import matches
>>> players = [matches.BotConfig("mine", "greedy"), matches.BotConfig("other", "uniform")]
>>> config = matches.configure("go:size=5", players, matches.TournamentBlock("playoff", pairs=1), seed=1)
>>> [played.id for played in gv.Match(config)]
['mine-other/0001a', 'mine-other/0001b']

`load` reads such a configuration from a match file, and `read` from the text of a match file.
"""

from gtp_variants.arena.config.configure import configure as configure, game_block as game_block
from gtp_variants.arena.config.match_config import (
    GameBlock as GameBlock,
    GameSettings as GameSettings,
    MatchConfig as MatchConfig,
    MatchupBlock as MatchupBlock,
    OpeningsBlock as OpeningsBlock,
    Outputs as Outputs,
    ReportOutputs as ReportOutputs,
    Sprt as Sprt,
    Stops as Stops,
    TournamentBlock as TournamentBlock,
    TuneParameter as TuneParameter,
    TuningConfig as TuningConfig,
)
from gtp_variants.arena.config.player_config import (
    BotConfig as BotConfig,
    ProgramConfig as ProgramConfig,
    TimeLimits as TimeLimits,
)
from gtp_variants.arena.config.resolve import load as load, read as read
from gtp_variants.arena.result_row import FinishedGame as FinishedGame, ResultRow as ResultRow
from gtp_variants.players.clock import TimeControl as TimeControl
