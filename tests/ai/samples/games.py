"""Games as samples, made up so that every column holds something."""

from pathlib import Path
from random import Random

import gtp_variants as gv
from gtp_variants.ai.samples.files import write_samples
from gtp_variants.ai.samples.game_samples import GameSamples, encode_game
from gtp_variants.ai.samples.thought import Decisions, Thought


def make_samples(spec: str, seed: int, id: str = "a-b/0001a", plies: int = 60) -> GameSamples:
    """The samples of a random game. Every second player told what they thought: of the action that was played most."""
    rules, rng = gv.parse(spec), Random(seed)
    game = gv.random_game(rules, seed, plies)
    decisions: Decisions = {}
    for number, event in enumerate(game.events):
        if event.actor:
            visits = {action: rng.randrange(1, 9) for action in rules.actions(game.positions[number])}
            values = tuple(rng.random() for _ in rules.colours)
            decisions[number] = Thought({**visits, event.action: 99}, values) if number % 2 else None
    result = game.outcome.sgf if game.outcome else "void"
    return encode_game(id, game, decisions, result, {"b": "first", "w": "second"})


def write_games(folder: Path, spec: str, games: int, form: str = "npz") -> list[GameSamples]:
    """Write a number of games as files of a folder."""
    found = [make_samples(spec, seed, f"a-b/{seed:04}a") for seed in range(1, games + 1)]
    (folder / "a-b").mkdir(parents=True, exist_ok=True)
    for samples in found:
        (folder / f"{samples.about['game']}.{form}").write_bytes(write_samples(samples, form))
    return found
