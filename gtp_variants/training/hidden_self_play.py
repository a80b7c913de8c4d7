"""Self-play of Go Fantôme, for learning where stones are hidden: a bot plays itself under a referee.

The bot searches positions that agree with its seat's news, with hidden stones where the network expects them. A game
depends only on its seed, its number, the given network and the package's own network for fully visible positions.
"""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from typing import Protocol, cast

import numpy as np

from gtp_variants.ai.mcts.result import SearchResult
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.plain_games import index_of
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import find_weights
from gtp_variants.base.processes.worker_processes import end_with_parent
from gtp_variants.errors import ConfigError
from gtp_variants.players import bots
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.training.self_play import POLICY_UNIT, PlayedGames
from gtp_variants.training.settings import SelfPlaySettings

# Playouts per imagined position. This value is not based on measurements.
_PLAYOUTS_A_POSITION = 8
_GAMES_A_LONG_OPENING = 10


class _PositionSampler(Player, Protocol):
    """A player that imagines positions. It has the names of its two networks and its last search result."""

    net: str
    hidden_net: str

    @property
    def found(self) -> SearchResult | None: ...


class HiddenSelfPlayer:
    """Plays games of one hidden SPEC in `threads` processes. Settings for the root and deep searches have no effect."""

    def __init__(self, rules: Rules, network: Network, threads: int = 1) -> None:
        self._rules, self._network, self._threads = rules, network, threads

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games like any GamesPlayer. Raises ConfigError if a process fails, for example without a main guard."""
        numbers = range(first, first + count)
        with tempfile.TemporaryDirectory() as folder:
            weights = Path(folder) / "hidden.safetensors"
            self._network.save(weights)
            play = partial(_play_game, self._rules.spec, str(weights), settings, seed)
            if self._threads == 1:
                games = [play(number) for number in numbers]
            else:
                games = self._play_in_processes(play, numbers)
        return _join(self._rules, games)

    def _play_in_processes(self, play: "Callable[[int], _GameLog]", numbers: Sequence[int]) -> "list[_GameLog]":
        processes = max(1, min(self._threads, len(numbers)))
        others = set(active_children())
        try:
            with ProcessPoolExecutor(processes, get_context("spawn"), end_with_parent) as pool:
                try:
                    games = [pool.submit(play, number) for number in numbers]
                    return [game.result() for game in games]
                except BaseException:
                    # End the processes, because otherwise Ctrl-C would wait for games whose results nobody needs.
                    for process in set(active_children()) - others:
                        process.terminate()
                    raise
        except BrokenProcessPool as error:
            reason = "playing processes ended: a script that trains needs `if __name__ == '__main__':`, or threads=1"
            raise ConfigError([reason]) from error


@dataclass(slots=True)
class _GameLog:
    """One game, with the search results of its positions."""

    game: Game
    places: list[int]
    policies: list[dict[int, int]]
    values: list[tuple[float, ...]]


def _play_game(spec: str, weights: str, settings: SelfPlaySettings, seed: int, number: int) -> _GameLog:
    """Play one game of the bot against itself, with random first moves."""
    rules, rng = parse(spec), Random(f"{seed}/{number}")
    table = Table(rules, lambda: DiceStream("no dice"))
    worlds = max(1, settings.playouts // _PLAYOUTS_A_POSITION)
    # Name the network by file: "auto" uses no network on slow processors, so results would depend on the machine.
    judge = str(find_weights(rules) or "none")
    bot = f"{rules.profile.default_bot}:playouts={settings.playouts},worlds={worlds}"
    players: dict[int, _PositionSampler] = {}
    for colour in rules.colours:
        player = cast("_PositionSampler", bots.load(bot))
        player.net, player.hidden_net = judge, weights
        players[colour] = player
        table.seat(colour, player, f"{seed}/{number}/{colour}")
    log = _GameLog(table.game, [], [], [])
    is_long = rng.randrange(_GAMES_A_LONG_OPENING) == 0
    for _ in range(rng.randint(0, settings.long_opening if is_long else settings.opening)):
        position = table.position
        points = [action for action in rules.legal(position) if action >= 0]
        if not points:
            break
        table.answer(position.to_play, rng.choice(points))
    # Stop at the final passes, because there is nothing to learn from the agreements after them.
    while not rules.is_over(table.position) and len(table.game.events) < settings.most_moves:
        seat = table.position.to_play
        place = len(table.game.events)
        action = table.choose(seat)
        found: SearchResult | None = players[seat].found
        if found is not None and found.values and sum(found.visits.values()):
            log.places.append(place)
            log.policies.append(dict(found.visits))
            log.values.append(found.values)
        table.answer(seat, action)
    return log


def _join(rules: Rules, logs: list[_GameLog]) -> PlayedGames:
    places = [place for log in logs for place in log.places]
    outcomes = [log.game.outcome or rules.standing(log.game.position) for log in logs]
    winners = [EMPTY if outcome is None or outcome.winner is None else outcome.winner for outcome in outcomes]
    margins = [0.0 if outcome is None or outcome.margin is None else outcome.margin for outcome in outcomes]
    signs = [1 if winner == rules.colours[0] else -1 for winner in winners]
    moves = len(Encoder(rules).actions)
    policies = [_shares(rules, visits, moves) for log in logs for visits in log.policies]
    return PlayedGames(
        spec=rules.spec,
        actions=np.array([event.action for log in logs for event in log.game.events], np.int32),
        lengths=np.array([len(log.game.events) for log in logs], np.int32),
        positions=np.array([len(log.places) for log in logs], np.int32),
        places=np.array(places, np.int32),
        policies=np.array(policies, np.uint16).reshape(len(places), moves),
        values=np.array([each for log in logs for each in log.values], np.float32).reshape(
            len(places), len(rules.colours)
        ),
        winners=np.array(winners, np.int8),
        margins=np.array([sign * margin for sign, margin in zip(signs, margins, strict=True)], np.float32),
        owners=np.array([_owners(rules, log.game) for log in logs], np.int8),
    )


def _shares(rules: Rules, visits: dict[int, int], moves: int) -> list[int]:
    """Convert visits to shares by policy index, in units of 1 / `POLICY_UNIT`."""
    shares, whole = [0] * moves, sum(visits.values())
    for action, count in visits.items():
        shares[index_of(rules, action)] = round(POLICY_UNIT * count / whole)
    return shares


def _owners(rules: Rules, game: Game) -> list[int]:
    owned = enumerate(areas(rules.board, game.position.stones))
    owner_of = {point: colour for colour, points in owned for point in points}
    return [owner_of[point] for point in range(len(rules.board))]
