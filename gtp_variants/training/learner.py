"""`Learner`: the weights of a network while it learns from positions, in steps of Adam.

Forward it computes exactly what the integer network does; gradients go straight through the rounding (Bengio et al.
2013). The loops are C++, in the form that suits the processor.

A larger network that says exactly what a smaller one says, to learn more than that has room for.

What is new is drawn at random, and nothing that was there before listens to it yet (Chen, Goodfellow and Shlens,
"Net2Net: Accelerating Learning via Knowledge Transfer", 2016).
"""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.kernel._kernel import KernelLearner
from gtp_variants.ai.nets.encoder import Encoder
from gtp_variants.ai.nets.kernel_network import network_board
from gtp_variants.ai.nets.network import Network, NetworkShape
from gtp_variants.ai.nets.reference import TYPES, tensors_of


def enlarge(network: Network, shape: NetworkShape, drawn: Mapping[str, bytes]) -> Network:
    """The network with more channels and blocks; `drawn` are tensors of its new shape drawn at random.

    Its answers are the same bit for bit. Raises ValueError for fewer channels or blocks than it has.
    """
    old = network.shape
    if shape.channels < old.channels or shape.blocks < old.blocks:
        raise ValueError(
            f"{old.blocks} blocks of {old.channels} channels cannot begin a network with {shape.blocks} of "
            f"{shape.channels}: expected as many or more"
        )
    larger = replace(network, shape=shape, tensors=drawn)
    known, tensors = tensors_of(network), tensors_of(larger)
    for name, made in tensors.items():
        if name in known:
            _keep(made, known[name], inputs_of=shape.channels, inputs_from=old.channels)
        elif ".second." in name:
            # A new block adds nothing to what it is given.
            made[:] = 0
    kinds = shape.tensors()
    return replace(
        larger, tensors={name: made.astype(TYPES[kinds[name][0]]).tobytes() for name, made in tensors.items()}
    )


def _keep(made: NDArray[np.int64], found: NDArray[np.int64], inputs_of: int, inputs_from: int) -> None:
    """Let the outputs that were there before read what they read, and nothing new."""
    outputs = len(found)
    if made.ndim == 1 or made.shape[-1] == found.shape[-1]:
        made[:outputs] = found
        return
    made[:outputs] = 0
    # Means and maxima of the channels are inputs one after the other.
    for part in range(made.shape[-1] // inputs_of):
        read = found[..., part * inputs_from : (part + 1) * inputs_from]
        made[:outputs, ..., part * inputs_of : part * inputs_of + inputs_from] = read


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """Positions on one board to learn from; n rows, all from the side to move. Arrays must be contiguous.

    `planes` uint8 (n, planes, points), `globals` float32 (n, globals): as `Encoder.encode_levels` gives them
    `mask` uint8 (n, points + 2): which points may be played, and PASS, and SWAP; `policy` float32, as `mask`: shares
    `ends` float32 (n, colours + 1): the share of each colour's win, from the side to move in turn order, and of a draw
    `weight` float32 (n,): how much a row counts
    `owners` int8 (n, points): 1 the side to move, -1 the other, 0 nobody; `score` float32 (n,): its lead in points
    `hidden` int8 (n, points): 1 where a stone stands that the side to move has not seen
    """

    planes: NDArray[np.uint8]
    globals: NDArray[np.float32]
    mask: NDArray[np.uint8]
    policy: NDArray[np.float32]
    ends: NDArray[np.float32]
    weight: NDArray[np.float32]
    owners: NDArray[np.int8] | None = None
    score: NDArray[np.float32] | None = None
    hidden: NDArray[np.int8] | None = None

    def rows(self) -> dict[str, NDArray[np.generic] | None]:
        """The arrays by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class LossWeights:
    """What each term of the loss counts. Owners 1.5 as in KataGo; the others are equal but for the score's."""

    policy: float = 1.0
    value: float = 1.0
    owners: float = 1.5
    score: float = 0.1
    hidden_stones: float = 1.0


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over rows, in nats; of the score Huber's loss, in units of eight points."""

    policy: float
    value: float
    owners: float
    score: float
    hidden_stones: float


class Learner:
    """A network that is being trained, from weights drawn by chance with a seed.

    Two learners with one seed that see the same batches have the same weights, whatever their numbers of threads, on
    one kind of processor. `encoder` says what it sees and on which board; batches of other boards of the game may come,
    too: `learn` takes the encoder they are made with.
    """

    def __init__(self, encoder: Encoder, shape: NetworkShape, seed: int, threads: int = 1) -> None:
        self.shape = shape
        self._seed = seed
        self._encoder = encoder
        self._kernel = KernelLearner(asdict(shape), [int(scale) for scale in encoder.scales], seed, threads)

    def learn(self, batch: SampleBatch, encoder: Encoder | None = None, weights: LossWeights | None = None) -> Losses:
        """Add the gradients of a batch to those of the next step. Raises ValueError for an array of another size."""
        rows = {name: value for name, value in batch.rows().items() if value is not None}
        found = self._kernel.add(
            network_board((encoder or self._encoder).rules), rows, astuple(weights or LossWeights())
        )
        total = found.pop("rows")
        return Losses(**{name: value / total for name, value in found.items()})

    def step(self, rate: float, decay: float = 0.005, average: float = 0.998) -> None:
        """Change the weights by Adam (0.9, 0.99) with decoupled decay; `average` is the memory of their mean."""
        self._kernel.step(rate, decay, average)

    def gradients(self) -> dict[str, list[float]]:
        """The gradients since the last step, by tensor, each by tap, input and output."""
        return self._kernel.gradients()

    def network(self, training: Mapping[str, str] | None = None) -> Network:
        """The mean of the weights, rounded: what is played with."""
        seen = self._encoder
        scales = tuple(int(scale) for scale in seen.scales)
        tensors = self._kernel.tensors()
        return Network(seen.rules.name, self.shape, seen.planes, scales, seen.globals, tensors, dict(training or {}))

    def begin_from(self, network: Network) -> None:
        """Begin anew with what another network knows: of a like game, or of the same one with other planes.

        Planes and features are matched by name; those that it does not know have no effect at first. Heads that answer
        something else begin by chance. A smaller network is enlarged. Raises ValueError for a larger one, or other
        neighbours.
        """
        mine = self.shape
        for key in ("taps", "pooled"):
            theirs_is, mine_is = getattr(network.shape, key), getattr(mine, key)
            if theirs_is != mine_is:
                raise ValueError(
                    f"a network of {network.game} with {key} {theirs_is} cannot begin one of "
                    f"{self._encoder.rules.name}: expected {key} {mine_is}"
                )
        if (mine.channels, mine.blocks) != (network.shape.channels, network.shape.blocks):
            larger = replace(network.shape, channels=mine.channels, blocks=mine.blocks)
            drawn = KernelLearner(asdict(larger), list(network.scales), self._seed, 1).tensors()
            network = enlarge(network, larger, drawn)
        theirs, tensors = network.shape, dict(self._kernel.tensors())
        inputs = {
            "stem.weight": (self._encoder.planes, network.planes),
            "stem.globals.weight": (self._encoder.globals, network.globals),
        }
        known = theirs.tensors()
        for name, (_, sizes) in mine.tensors().items():
            if name in inputs:
                own, other = inputs[name]
                found = np.frombuffer(network.tensors[name], np.int8).reshape(known[name][1])
                made = np.zeros(sizes, np.int8)
                for at, plane in enumerate(own):
                    if plane in other:
                        made[..., at] = found[..., other.index(plane)]
                tensors[name] = made.tobytes()
            elif known.get(name, ("", ()))[1] == sizes:
                tensors[name] = network.tensors[name]
        self._kernel.begin_from(tensors)

    def state(self) -> bytes:
        """All that training goes on from: weights, their mean, both moments, the number of steps."""
        return self._kernel.state()

    def restore(self, state: bytes) -> None:
        """Go on from a `state`. Raises ValueError for one of another network."""
        self._kernel.restore(state)


def network_shape(encoder: Encoder, channels: int = 32, blocks: int = 4) -> NetworkShape:
    """The shape of a network that plays the encoder's game."""
    rules = encoder.rules
    return NetworkShape(
        len(encoder.planes),
        len(encoder.globals),
        encoder.taps.shape[1],
        channels,
        blocks,
        colours=len(rules.colours),
        has_score=rules.is_scored,
        has_owners=rules.is_scored,
        has_hidden_stones=not rules.is_open,
    )
