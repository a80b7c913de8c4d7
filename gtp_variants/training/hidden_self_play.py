"""Self-play of Go Fantôme: a bot plays itself under a referee.

The bot searches positions that agree with its seat's news, with hidden stones where one network expects them, judged
by another. Either network learns: the first from what the seats know, the second from the full boards. A game depends
only on its seed, its number, the given network and the package's own network of the other kind.
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

import numpy as np

from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.games.plain_games import index_of
from gtp_variants.ai.nets.network import Network
from gtp_variants.ai.nets.weight_choice import find_weights
from gtp_variants.base.processes.worker_processes import end_with_parent
from gtp_variants.errors import ConfigError
from gtp_variants.players import bots
from gtp_variants.players.table import Table
from gtp_variants.rules import parse, split_spec
from gtp_variants.rules.actions import EMPTY
from gtp_variants.rules.boards.chains import areas
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules
from gtp_variants.training.self_play import POLICY_UNIT, PlayedGames
from gtp_variants.training.settings import SelfPlaySettings

# Playouts per imagined position, to learn hidden stones and to learn full boards. These are not based on measurements.
_PLAYOUTS_A_POSITION, _PLAYOUTS_A_BOARD = 8, 16
_GAMES_A_LONG_OPENING = 10


class HiddenSelfPlayer:
    """Plays games of one hidden SPEC in `threads` processes. Settings for the root and deep searches have no effect.

    With a network that judges full boards, the games are those of the game that it plays, without the refused tries.
    """

    def __init__(self, rules: Rules, network: Network, threads: int = 1) -> None:
        self._rules, self._network, self._threads = rules, network, threads

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games like any GamesPlayer. Raises ConfigError if a process fails, for example without a main guard."""
        numbers = range(first, first + count)
        with tempfile.TemporaryDirectory() as folder:
            weights = Path(folder) / "network.safetensors"
            self._network.save(weights)
            judges = not self._network.shape.has_hidden_stones
            play = partial(_play_game, self._rules.spec, str(weights), judges, settings, seed)
            if self._threads == 1:
                games = [play(number) for number in numbers]
            else:
                games = self._play_in_processes(play, numbers)
        return _join(parse(self._network.game, split_spec(self._rules.spec)[1]) if judges else self._rules, games)

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
    """One game, the actions to learn from, and the search results of its positions."""

    game: Game
    actions: list[int]
    places: list[int]
    policies: list[dict[int, int]]
    values: list[tuple[float, ...]]


def _play_game(spec: str, weights: str, judges: bool, settings: SelfPlaySettings, seed: int, number: int) -> _GameLog:
    """Play one game of the bot against itself, with random first moves."""
    rules, rng = parse(spec), Random(f"{seed}/{number}")
    table = Table(rules, lambda: DiceStream("no dice"))
    worlds = max(1, settings.playouts // (_PLAYOUTS_A_BOARD if judges else _PLAYOUTS_A_POSITION))
    # Name the network by file: "auto" uses no network on slow processors, so results would depend on the machine.
    judge = weights if judges else str(find_weights(rules) or "none")
    bot = f"{rules.profile.default_bot}:playouts={settings.playouts},worlds={worlds}"
    players = {colour: bots.load(bot) for colour in rules.colours}
    for colour, player in players.items():
        # Set here, because a path may contain a comma.
        vars(player).update(net=judge, hidden_net="auto" if judges else weights)
        table.seat(colour, player, f"{seed}/{number}/{colour}")
    log = _GameLog(table.game, [], [], [], [])
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
        action = table.choose(seat)
        found = vars(players[seat])["found"]
        if found is not None and found.values and sum(found.visits.values()):
            log.places.append(len(table.game.events))
            log.policies.append(dict(found.visits))
            log.values.append(found.values)
        table.answer(seat, action)
    log.actions = [event.action for event in log.game.events]
    return _without_refusals(rules, log) if judges else log


def _without_refusals(rules: Rules, log: _GameLog) -> _GameLog:
    """Return a game as moves on the full board, without the refused tries."""
    place_of = {index: place for place, index in enumerate(filter(log.game.is_turn, range(len(log.actions))))}
    seen = _GameLog(log.game, [log.actions[index] for index in place_of], [], [], [])
    for index, visits, values in zip(log.places, log.policies, log.values, strict=True):
        legal = rules.legal(log.game.positions[index])
        allowed = {action: count for action, count in visits.items() if action in legal}
        if index in place_of and any(allowed.values()):
            seen.places.append(place_of[index])
            seen.policies.append(allowed)
            seen.values.append(values)
    return seen


def _join(rules: Rules, logs: list[_GameLog]) -> PlayedGames:
    places = [place for log in logs for place in log.places]
    outcomes = [log.game.outcome or log.game.rules.standing(log.game.position) for log in logs]
    winners = [EMPTY if outcome is None or outcome.winner is None else outcome.winner for outcome in outcomes]
    margins = [0.0 if outcome is None or outcome.margin is None else outcome.margin for outcome in outcomes]
    signs = [1 if winner == rules.colours[0] else -1 for winner in winners]
    moves = len(Encoder(rules).actions)
    policies = [_shares(rules, visits, moves) for log in logs for visits in log.policies]
    return PlayedGames(
        spec=rules.spec,
        actions=np.array([action for log in logs for action in log.actions], np.int32),
        lengths=np.array([len(log.actions) for log in logs], np.int32),
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
