"""The latest positions from self-play, stored as games and encoded when batches are drawn."""

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.kernel._kernel import KernelReplay
from gtp_variants.ai.kernel.states import kernel_rules
from gtp_variants.ai.nets.encoder import Encoder, symmetries
from gtp_variants.ai.nets.encoding.planes import TURN_PLANES
from gtp_variants.ai.nets.kernel_network import kernel_encoder
from gtp_variants.ai.nets.network import SPECIALS
from gtp_variants.rules import parse
from gtp_variants.rules.actions import CHANCE, PASS, SWAP
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules
from gtp_variants.training.batch import SampleBatch
from gtp_variants.training.self_play import OWNED, PlayedGames

# Share of the positions after a throw that are learnt in their state before the throw.
_BEFORE_THROWS = 1 / 3
# Chance that a position is learnt without the move of a turn and those before it, like a position that was set up.
# Source: KataGo's training code.
_FORGOTTEN = 0.02
# Turns that the short-term value looks ahead, per point of the board. KataGo (`trainingwrite.cpp`) learns three such
# values; this is the middle one.
_SHORT_TERM = 0.056
_UNKNOWN = -1
_Shares = NDArray[np.float64]
_Indices = NDArray[np.int64]
_Ahead = tuple[NDArray[np.int32], _Shares]


class BoardSamples:
    """The positions in the window that belong to one SPEC."""

    def __init__(self, spec: str, threads: int) -> None:
        rules = parse(spec)
        self.rules, self.encoder = rules, Encoder(rules)
        self._symmetries = symmetries(rules)
        turns = self._symmetries.ravel().tolist()
        self._replay = KernelReplay(kernel_rules(rules), kernel_encoder(rules), turns, threads)
        self._turn_planes = [[*map(self.encoder.planes.index, names)] for names in TURN_PLANES if rules.is_open]
        self._parts: deque[PlayedGames] = deque()
        # All games joined, the index of each game's first action, each position's game, its label's index or -1, and
        # what follows it: see `_look_ahead`.
        self._joined: tuple[PlayedGames, _Indices, _Indices, NDArray[np.int32], _Ahead] | None = None
        self.count = 0

    def append(self, games: PlayedGames) -> None:
        self._parts.append(games)
        self.count += len(games.places)
        self._joined = None

    def drop_oldest(self) -> None:
        """Remove the oldest chunk of games."""
        self.count -= len(self._parts.popleft().places)
        self._joined = None

    def draw(self, rng: np.random.Generator, rows: int, root_share: float) -> SampleBatch:
        """Draw positions under random symmetries. `root_share` of an unlabelled position's value is the search's."""
        if self._joined is None:
            played = PlayedGames.join(self._parts)
            begins = np.cumsum(played.lengths, dtype=np.int64) - played.lengths
            labels = np.full(len(played.places), -1, np.int32)
            labels[played.taught] = np.arange(len(played.taught))
            game_of = np.repeat(np.arange(len(played)), played.positions)
            self._joined = played, begins, game_of, labels, _look_ahead(self.rules, played, begins, game_of)
        played, begins, game_of, labels, (replies, ahead) = self._joined
        rules, points = self.rules, len(self.rules.board)
        chosen = rng.integers(self.count, size=rows)
        turns = rng.integers(len(self._symmetries), size=rows).astype(np.int32)
        games = game_of[chosen]
        # Before a throw there is no move, so only the value is learnt.
        before_throws = np.zeros(rows, np.uint8)
        if isinstance(rules, DicedRules):
            before_throws[:] = rng.random(rows) < _BEFORE_THROWS
        planes = np.empty((rows, len(self.encoder.planes), points), np.uint8)
        features = np.empty((rows, len(self.encoder.globals)), np.float32)
        mask = np.empty((rows, points + SPECIALS), np.uint8)
        to_play = np.empty(rows, np.int8)
        hidden = None if rules.is_open else np.empty((rows, points), np.int8)
        asked = played.actions, begins[games], played.places[chosen], turns, before_throws
        self._replay.read(*asked, planes, features, mask, to_play, hidden)
        kept = rng.geometric(_FORGOTTEN, rows) - 1
        for turn, which in enumerate(self._turn_planes):
            planes[np.flatnonzero(kept <= turn)[:, None], which] = 0
        goes_to = self._symmetries[turns]
        policy = self._policy(played.policies[chosen], goes_to)
        reply = replies[chosen]
        on_board = np.flatnonzero((reply >= 0) & (reply < points))
        reply[on_board] = goes_to[on_board, reply[on_board]]
        no_move = ~mask.any(axis=1)
        policy[no_move], reply[no_move] = 0, _UNKNOWN
        label = labels[chosen]
        is_taught = label >= 0
        values_share = np.where(is_taught, 1, root_share)
        owners, margins = _owners(played.owners[games], to_play), played.margins[games]
        sign = np.where(to_play == rules.colours[0], 1, -1).astype(np.float32)
        if is_taught.any() and rules.is_scored:
            told = label[is_taught]
            margins[is_taught] = played.leads[told]
            owners[is_taught] = played.shares[told] / np.float32(OWNED) * sign[is_taught, None]
        return SampleBatch(
            planes,
            features,
            mask,
            policy,
            self._ends(played.winners[games], values_share[:, None] * played.values[chosen], to_play, values_share),
            np.ones(rows, np.float32),
            reply,
            self._ends(played.winners[games], ahead[chosen, :-1], to_play, ahead[chosen, -1]),
            owners=_turn(owners, goes_to) if rules.is_scored else None,
            score=margins * sign if rules.is_scored else None,
            hidden=hidden,
        )

    def _policy(self, counts: NDArray[np.uint16], goes_to: NDArray[np.int32]) -> NDArray[np.float32]:
        points, shares = len(self.rules.board), counts.astype(np.float32)
        shares /= shares.sum(axis=1, keepdims=True)
        policy = np.zeros((len(counts), points + SPECIALS), np.float32)
        np.put_along_axis(policy, goes_to, shares[:, :points], axis=1)
        at = points
        for column, is_there in enumerate((self.rules.has_pass, self.rules.has_swap)):
            if is_there:
                policy[:, points + column] = shares[:, at]
                at += 1
        return policy

    def _ends(
        self, winners: NDArray[np.int8], values: _Shares, to_play: NDArray[np.int8], shares: _Shares
    ) -> NDArray[np.float32]:
        """Return the shares to learn: wins by colour, from the mover on, then a drawn game.

        `values` have been multiplied by their weights, the `shares`. The results have the rest of the weight.
        """
        order = np.array(self.rules.colours, np.int8)
        seats = (np.argmax(to_play[:, None] == order, axis=1)[:, None] + np.arange(len(order))) % len(order)
        played = np.concatenate([winners[:, None] == order[seats], winners[:, None] == 0], axis=1)
        ends: NDArray[np.float32] = ((1 - shares[:, None]) * played).astype(np.float32)
        ends[:, :-1] += np.take_along_axis(values, seats, axis=1)
        return ends


class ReplayWindow:
    """The latest positions of a training run. The order of `specs`, past SPECs included, decides the batches."""

    def __init__(self, threads: int = 1, specs: Sequence[str] = ()) -> None:
        self._threads = threads
        self._boards = {spec: BoardSamples(spec, threads) for spec in specs}
        self._order: deque[str] = deque()

    def __len__(self) -> int:
        return sum(each.count for each in self._boards.values())

    @property
    def specs(self) -> tuple[str, ...]:
        """The SPECs of all games added so far, in order of arrival."""
        return tuple(self._boards)

    def append(self, games: PlayedGames, most: int) -> None:
        """Add games. While there are more than `most` positions, remove the oldest chunk, but never the only chunk."""
        if games.spec not in self._boards:
            self._boards[games.spec] = BoardSamples(games.spec, self._threads)
        self._boards[games.spec].append(games)
        self._order.append(games.spec)
        while len(self._order) > 1 and len(self) > most:
            self._boards[self._order.popleft()].drop_oldest()

    def draw(
        self, rng: np.random.Generator, batches: int, rows: int, root_share: float
    ) -> Iterator[tuple[Encoder, SampleBatch]]:
        """Draw batches, each of one SPEC, which is chosen in proportion to the number of its positions."""
        boards = [each for each in self._boards.values() if each.count]
        odds = np.array([each.count for each in boards], np.float64)
        for chosen in rng.choice(len(boards), size=batches, p=odds / odds.sum()):
            yield boards[chosen].encoder, boards[chosen].draw(rng, rows, root_share)


def _look_ahead(rules: Rules, played: PlayedGames, begins: _Indices, game_of: _Indices) -> _Ahead:
    """Return each position's reply, as a place in a policy or -1, and the values after it.

    The values are sums by colour, in turn order, with weights that fall exponentially with the distance in turns. Turns
    without a stored position count as the next stored turn. The last column is the sum of the weights; the result of
    the game has the rest.
    """
    longest, points = int(played.lengths.argmax()), len(rules.board)
    # The places where players act. Throws have the same places in all games of a SPEC.
    acts = np.arange(played.lengths[longest])
    if isinstance(rules, DicedRules):
        acts = np.flatnonzero([event.actor != CHANCE for event in played.replay(longest).events])
    turns = np.searchsorted(acts, played.places)
    after = np.append(acts, played.lengths[longest])[turns + 1]
    is_known = after < played.lengths[game_of]
    found = played.actions[(begins[game_of] + after)[is_known]]
    replies = np.full(len(turns), _UNKNOWN, np.int32)
    replies[is_known] = np.select([found >= 0, found == PASS, found == SWAP], [found, points, points + 1], _UNKNOWN)
    weighed = np.pad(played.values.astype(np.float64), ((0, 0), (0, 1)), constant_values=1)
    ahead, ends = np.zeros_like(weighed), np.cumsum(played.positions)
    for back in range(2, int(played.positions.max()) + 1):
        here = ends[played.positions >= back] - back
        far = (1 - 1 / (1 + _SHORT_TERM * points)) ** (turns[here + 1] - turns[here])[:, None]
        ahead[here] = (1 - far) * weighed[here + 1] + far * ahead[here + 1]
    return replies, ahead


def _owners(owners: NDArray[np.int8], to_play: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return each point's owner from the viewpoint of the side to move."""
    mine = owners == to_play[:, None]
    return np.asarray(1.0 * mine - (~mine & (owners != 0)), np.float32)


def _turn(numbers: NDArray[np.float32], goes_to: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the numbers of points, each moved to the point in `goes_to`."""
    turned = np.empty_like(numbers)
    np.put_along_axis(turned, goes_to, numbers, axis=1)
    return turned
