"""Games to lend in tests."""

from dataclasses import replace

from gtp_variants.arena.config import match_file
from gtp_variants.arena.config.match_config import MatchConfig
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.referee import play_game
from gtp_variants.arena.run.worker import pack_game
from gtp_variants.arena.schedule import Fixture, units

TEXT = """
arena: 1
players: {mine: {command: bot:FIRST}, other: {command: bot:SECOND}}
defaults: {variant: "SPEC"}
tournament: {type: playoff, pairs: 2}
seed: "1"
"""


def match_of(spec: str = "aleago:size=4,dice=1d2", seed: str = "1") -> MatchConfig:
    """A small match; without a seed each game has one of its own."""
    first, second = (
        ("phantom:playouts=8", "phantom:playouts=8") if spec.startswith("phantom") else ("greedy", "uniform")
    )
    text = TEXT.replace("SPEC", spec).replace("FIRST", first).replace("SECOND", second)
    config = replace(match_file.read(text), dice="own")
    return config if seed else replace(config, seed="11" * 32, has_fresh_seeds=True)


def fixtures(spec: str = "aleago:size=4,dice=1d2", seed: str = "1") -> list[Fixture]:
    """Its games."""
    config = match_of(spec, seed)
    return [fixture for unit in units(config, {}) for fixture in unit.fixtures(config)]


def play(fixture: Fixture) -> FinishedGame:
    """A game, played in this process."""
    return pack_game(fixture, *play_game(fixture), {})
