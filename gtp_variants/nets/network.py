"""A network's weights as a file, and as values: which game it plays, what it sees, how it was trained.

A weight file is in the format of safetensors: eight bytes with the length of a header, the header in JSON, the tensors
one after the other. Programs for such files read it.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import prod
from pathlib import Path

from gtp_variants.errors import RecordError

# Files of another version say other things with the same names.
VERSION = "1"
# Outputs of the policy behind the points: PASS and SWAP, whether a game has them or not.
SPECIALS = 2
_LENGTH_BYTES = 8
_LARGEST_HEADER = 1 << 20
_WIDTHS = {"I8": 1, "I32": 4}


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """How large a network is, and what it answers.

    `pooled`: in every so many blocks the first convolution is told what the whole board looks like, 0: in none.
    `hidden`: units between what is pooled and the outputs for the whole board.
    """

    planes: int
    globals: int
    taps: int
    channels: int = 32
    blocks: int = 4
    pooled: int = 2
    hidden: int = 64
    colours: int = 2
    has_score: bool = False
    has_owners: bool = False
    has_hidden_stones: bool = False

    @property
    def outputs_a_point(self) -> int:
        """The policy, and as the game has them its owner and whether a hidden stone stands there."""
        return 1 + self.has_owners + self.has_hidden_stones

    @property
    def outputs_a_board(self) -> int:
        """PASS, SWAP, who wins, whether it is a draw, and mean and spread of the score if there is one."""
        return SPECIALS + self.colours + 1 + 2 * self.has_score

    def pools(self, block: int) -> bool:
        """Whether the first convolution of a block is told what the whole board looks like."""
        return self.pooled > 0 and block % self.pooled == self.pooled - 1

    def tensors(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The type ("I8" or "I32") and shape of each tensor, by name, in the order of a file."""
        c = self.channels
        found: dict[str, tuple[str, tuple[int, ...]]] = {
            "stem.weight": ("I8", (c, self.taps, self.planes)),
            "stem.bias": ("I32", (c,)),
            "stem.globals.weight": ("I8", (c, self.globals)),
        }
        for block in range(self.blocks):
            for layer in ("first", "second"):
                found[f"blocks.{block}.{layer}.weight"] = "I8", (c, self.taps, c)
                found[f"blocks.{block}.{layer}.bias"] = "I32", (c,)
            if self.pools(block):
                found[f"blocks.{block}.pool.weight"] = "I8", (c, 2 * c)
        return found | {
            "head.weight": ("I8", (c, 1, c)),
            "head.bias": ("I32", (c,)),
            "head.pool.weight": ("I8", (c, 2 * c)),
            "points.weight": ("I8", (self.outputs_a_point, c)),
            "points.bias": ("I32", (self.outputs_a_point,)),
            "dense.weight": ("I8", (self.hidden, 2 * c)),
            "dense.bias": ("I32", (self.hidden,)),
            "board.weight": ("I8", (self.outputs_a_board, self.hidden)),
            "board.bias": ("I32", (self.outputs_a_board,)),
        }


@dataclass(frozen=True, slots=True)
class Network:
    """Weights of one game with what they mean.

    `planes`, `scales`, `globals`: what it sees, in the encoder's names and order. `tensors`: little-endian bytes by
    name, of the types and shapes that `shape.tensors()` gives. `training`: how it was made, in words, by key.
    """

    game: str
    shape: NetworkShape
    planes: tuple[str, ...]
    scales: tuple[int, ...]
    globals: tuple[str, ...]
    tensors: Mapping[str, bytes] = field(hash=False, repr=False)
    training: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def load(cls, path: str | Path) -> "Network":
        """The network in a file. Raises RecordError that names what is wrong, with both shapes if it is a shape."""
        file = Path(path)
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise RecordError(f"{file}: {error.strerror}") from error
        length = int.from_bytes(raw[:_LENGTH_BYTES], "little")
        data = raw[_LENGTH_BYTES + length :]
        try:
            if len(raw) < _LENGTH_BYTES or length > _LARGEST_HEADER:
                raise ValueError("its header is too long")
            header = json.loads(raw[_LENGTH_BYTES : _LENGTH_BYTES + length])
            about = header.pop("__metadata__")
            version = about["version"]
            if version != VERSION:
                raise RecordError(f"{file}: weights of version {version}, expected {VERSION}")
            values = json.loads(about["shape"])
            shape = NetworkShape(**{each.name: values[each.name] for each in fields(NetworkShape)})
            planes, scales, features = (tuple(json.loads(about[key])) for key in ("planes", "scales", "globals"))
            game, training = about["game"], json.loads(about["training"])
            found = {name: (row["dtype"], tuple(row["shape"]), row["data_offsets"]) for name, row in header.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RecordError(f"{file}: not a weight file of gtp_variants: {error}") from error
        return cls(game, shape, planes, scales, features, _read_tensors(file, shape, found, data), training)

    def save(self, path: str | Path) -> None:
        """Write the network to a file."""
        about = {
            "version": VERSION,
            "game": self.game,
            "shape": json.dumps(asdict(self.shape)),
            "planes": json.dumps(self.planes),
            "scales": json.dumps(self.scales),
            "globals": json.dumps(self.globals),
            "training": json.dumps(dict(self.training), ensure_ascii=False),
        }
        header: dict[str, object] = {"__metadata__": about}
        at = 0
        for name, (dtype, sizes) in self.shape.tensors().items():
            end = at + len(self.tensors[name])
            header[name] = {"dtype": dtype, "shape": sizes, "data_offsets": [at, end]}
            at = end
        text = json.dumps(header, ensure_ascii=False).encode()
        # Readers want the tensors to begin at a multiple of eight.
        text += b" " * (-len(text) % _LENGTH_BYTES)
        data = b"".join(self.tensors[name] for name in self.shape.tensors())
        Path(path).write_bytes(len(text).to_bytes(_LENGTH_BYTES, "little") + text + data)

    def widen(self, planes: tuple[str, ...], scales: tuple[int, ...], globals_: tuple[str, ...]) -> "Network":
        """The same network for a game that shows more: it sees what it saw before, and the rest has no weight."""
        shape = replace(self.shape, planes=len(planes), globals=len(globals_))
        tensors = dict(self.tensors)
        for name, before, after in (
            ("stem.weight", self.planes, planes),
            ("stem.globals.weight", self.globals, globals_),
        ):
            raw, width = tensors[name], len(before)
            places = [before.index(each) if each in before else width for each in after]
            rows = (raw[at : at + width] + b"\0" for at in range(0, len(raw), width))
            tensors[name] = b"".join(bytes(row[place] for place in places) for row in rows)
        return replace(self, shape=shape, planes=planes, scales=scales, globals=globals_, tensors=tensors)


def _read_tensors(
    file: Path, shape: NetworkShape, found: Mapping[str, tuple[str, tuple[int, ...], list[int]]], data: bytes
) -> dict[str, bytes]:
    tensors: dict[str, bytes] = {}
    for name, (dtype, sizes) in shape.tensors().items():
        if name not in found:
            raise RecordError(f"{file}: {name} is missing, expected {dtype} {list(sizes)}")
        there, sizes_there, (start, end) = found[name]
        if (there, sizes_there) != (dtype, sizes):
            raise RecordError(f"{file}: {name} is {there} {list(sizes_there)}, expected {dtype} {list(sizes)}")
        tensors[name] = data[start:end]
        expected = prod(sizes) * _WIDTHS[dtype]
        if len(tensors[name]) != expected:
            raise RecordError(f"{file}: {name} has {len(tensors[name])} bytes, expected {expected}")
    return tensors
