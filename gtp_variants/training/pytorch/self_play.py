"""Self-play whose positions a graphics card judges, thousands at a time: the kernel's games, move for move."""

from collections import deque
from dataclasses import asdict

from gtp_variants.ai.kernel._kernel import KernelSelfPlayBatch
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.kernel_encoder import kernel_encoder
from gtp_variants.ai.nets.network import Network
from gtp_variants.rules.rules import Rules
from gtp_variants.training.pytorch.integer_network import TorchNetwork
from gtp_variants.training.self_play import PlayedGames, make_search_settings, read_games
from gtp_variants.training.settings import SelfPlaySettings

# Games in a batch: an H100 needs about two thousand positions at a time to be busy.
_MOST_ROWS = 2048
# While the card judges one batch, the processor plays on in the other.
_BATCHES = 2


class TorchSelfPlayer:
    """Plays games of one SPEC with a network on a PyTorch device, in threads of the kernel."""

    def __init__(self, rules: Rules, network: Network, device: str, threads: int) -> None:
        self._rules, self._network, self._device, self._threads = rules, network, device, threads

    def play(self, settings: SelfPlaySettings, seed: int, first: int, count: int) -> PlayedGames:
        """Play games number `first` to `first + count - 1` of a seed."""
        rules, network = self._rules, self._network
        encoder = Encoder(rules)
        batches, parts = [], min(_BATCHES, count)
        for part in range(parts):
            start, end = count * part // parts, count * (part + 1) // parts
            rows = min(_MOST_ROWS, end - start)
            games = KernelSelfPlayBatch(
                kernel_rules(rules),
                asdict(network.shape),
                kernel_encoder(rules),
                asdict(settings) | {"seed": seed},
                *make_search_settings(rules, settings),
                first + start,
                end - start,
                rows,
                self._threads,
            )
            batches.append((games, TorchNetwork(network, encoder, rows, self._device)))
        playing = deque(batches)
        while playing:
            games, evaluator = playing.popleft()
            evaluator.wait()
            if rows := games.advance(*evaluator.arrays()):
                evaluator.ask(rows)
                playing.append((games, evaluator))
        return PlayedGames.join([read_games(rules, games.games()) for games, _ in batches])
