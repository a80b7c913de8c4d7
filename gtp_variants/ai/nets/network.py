"""A network's weights, as an object and as a file in the safetensors format.

A file holds the length of its header in eight bytes, the header in JSON, and the tensors. Its metadata contain a
SHA-256 of the other metadata (as JSON with sorted keys) followed by the tensors in the order of `NetworkShape.tensors`.
"""

import json
import struct
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from math import prod
from pathlib import Path

from gtp_variants.base.folders import open_file
from gtp_variants.base.json_values import Json, parse_json, parse_object
from gtp_variants.base.number_ranges import NumberRange
from gtp_variants.errors import RecordError
from gtp_variants.records.files import write
from gtp_variants.records.record import printable

# The version of weight files, which fixes the meanings of names.
VERSION = "1"
# The integer that represents a feature of 1.
_ONE = 32
# Number of policy outputs after the outputs for points: PASS and SWAP, whether or not the game has them.
SPECIALS = 2
_LENGTH_BYTES = 8
_LARGEST_HEADER = 1 << 20
_WIDTHS = {"I8": 1, "I32": 4}
# Largest number allowed in a shape; a larger number means that the file is damaged.
_LARGEST_SIZE = 4096
_SIZE = NumberRange(1, _LARGEST_SIZE, step=1)
_SIZES = {
    # The kernel computes 16 outputs of a layer at a time, so their number is a multiple of 16.
    "channels": NumberRange(1, _LARGEST_SIZE, step=16),
    "blocks": NumberRange(0, _LARGEST_SIZE, step=1),
    "pooled": NumberRange(0, _LARGEST_SIZE, step=1),
    "colours": NumberRange(2, 3, step=1),
}
# Largest bias with which sums are sure to fit in 32 bits.
_LARGEST_BIAS = 1 << 29
# Range of a plane's scale, because scaled inputs must fit in a signed byte.
_SCALE = NumberRange(1, 127, step=1)
# Powers outside this range make every probability practically even or certain.
_CALIBRATION = NumberRange(0.001, 1000)
_CHECKSUM = "sha256"
_METADATA = ("version", "game", "shape", "planes", "scales", "globals", "training", "calibration", _CHECKSUM)
_NO_WEIGHTS = "not a weight file of gtp_variants"
_MOST_SAID = 60


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """The size of a network and the number of its inputs and outputs.

    The first convolution of every `pooled`-th block also sees the pooled board; if `pooled` is 0, no block does.
    `hidden` is the number of units between the pooled head and the outputs for the whole board.
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
        """Number of outputs per point: policy and, if the game has them, owner and hidden stone."""
        return 1 + self.has_owners + self.has_hidden_stones

    @property
    def outputs_a_board(self) -> int:
        """Number of outputs per board: PASS, SWAP, each winner, a drawn game, and the mean and spread of any score."""
        return SPECIALS + self.colours + 1 + 2 * self.has_score

    def pools(self, block: int) -> bool:
        """Return True if the first convolution of a block also sees the pooled board."""
        return self.pooled > 0 and block % self.pooled == self.pooled - 1

    def tensors(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return the type ("I8" or "I32") and shape of each tensor by name, in file order."""
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
    """The weights of a network for one game, and what they mean.

    `planes`, `scales` and `globals` describe its inputs, with the encoder's names and in its order. `tensors` holds
    little-endian bytes by name, with the types and shapes of `shape.tensors()`. `training` describes its training as
    texts, by key. `calibration` is the power, 0.001 to 1000, to which a search's odds must be raised to match results.

    >>> import gtp_variants as gv
    >>> network = gv.Thinker(gv.parse("go:size=9"), network="auto", playouts=10).network
    >>> network is None or (type(network) is gv.Network and network.game == "go")
    True
    """

    game: str
    shape: NetworkShape
    planes: tuple[str, ...]
    scales: tuple[int, ...]
    globals: tuple[str, ...]
    tensors: Mapping[str, bytes] = field(hash=False, repr=False)
    training: Mapping[str, str] = field(default_factory=dict, hash=False)
    calibration: float = 1.0

    @classmethod
    def load(cls, path: str | Path) -> "Network":
        """Return the network in a file. Raises RecordError if the file cannot be read or is invalid."""
        file = Path(path)
        try:
            with open_file(file) as opened:
                raw = opened.read()
        except OSError as error:
            raise RecordError(f"{file}: {error.strerror}") from error
        try:
            return _read_network(raw)
        except ValueError as error:
            raise RecordError(f"{file}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the network to a file atomically. Raises RecordError, writing nothing, if `load` would refuse it."""
        about = {
            "version": VERSION,
            "game": self.game,
            "shape": json.dumps(asdict(self.shape)),
            "planes": json.dumps(self.planes),
            "scales": json.dumps(self.scales),
            "globals": json.dumps(self.globals),
            "training": json.dumps(dict(self.training), ensure_ascii=False),
        }
        if self.calibration != 1:
            about["calibration"] = json.dumps(self.calibration)
        data = b"".join(self.tensors.get(name, b"") for name in self.shape.tensors())
        about[_CHECKSUM] = _checksum(about, data)
        header: dict[str, object] = {"__metadata__": about}
        at = 0
        for name, (dtype, sizes) in self.shape.tensors().items():
            end = at + len(self.tensors.get(name, b""))
            header[name] = {"dtype": dtype, "shape": sizes, "data_offsets": [at, end]}
            at = end
        text = json.dumps(header, ensure_ascii=False).encode()
        # Pad with spaces, because readers expect the tensors to begin at a multiple of eight.
        text += b" " * (-len(text) % _LENGTH_BYTES)
        raw = len(text).to_bytes(_LENGTH_BYTES, "little") + text + data
        try:
            _read_network(raw)
        except ValueError as error:
            raise RecordError(f"{path}: {error}") from None
        write(Path(path), raw)

    def widen(self, planes: tuple[str, ...], scales: tuple[int, ...], globals_: tuple[str, ...]) -> "Network":
        """Return the network with a different game's inputs. Inputs that the network lacked get no weight."""
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

    def freeze_inputs(self, planes: Collection[str], features: Mapping[str, float]) -> "Network":
        """Return the network with some planes read as empty and some features fixed; unknown names are ignored."""
        shape, tensors = self.shape, dict(self.tensors)
        weights = array("b", tensors["stem.weight"])
        for place in (self.planes.index(name) for name in planes if name in self.planes):
            for at in range(place, len(weights), shape.planes):
                weights[at] = 0
        told = array("b", tensors["stem.globals.weight"])
        bias = list(struct.unpack(f"<{shape.channels}i", tensors["stem.bias"]))
        for place, value in ((self.globals.index(name), features[name]) for name in features if name in self.globals):
            for channel in range(shape.channels):
                at = channel * shape.globals + place
                bias[channel] += told[at] * round(value * _ONE)
                told[at] = 0
        tensors |= {
            "stem.weight": weights.tobytes(),
            "stem.globals.weight": told.tobytes(),
            "stem.bias": struct.pack(f"<{shape.channels}i", *bias),
        }
        return replace(self, tensors=tensors)


def _read_network(raw: bytes) -> Network:
    """Return the network in the bytes of a file. Raises ValueError if the bytes are invalid."""
    header, data = _read_header(raw)
    about = header.pop("__metadata__", None)
    if not isinstance(about, dict):
        raise ValueError(f"{_NO_WEIGHTS}: its header has no __metadata__")
    _check_metadata(about)
    game = about["game"]
    shape = _read_shape(_read_value(about, "shape"))
    planes, features = _read_names(about, "planes", shape.planes), _read_names(about, "globals", shape.globals)
    scales = _read_scales(about, shape.planes)
    training = _read_value(about, "training")
    if not isinstance(training, dict) or not all(isinstance(each, str) for each in training.values()):
        raise ValueError(f"training is {_cut(training)}, expected an object of strings")
    tensors, calibration = _read_tensors(shape, header, data), _read_calibration(about)
    # Files from earlier versions have no checksum, so a missing checksum is accepted.
    if about.get(_CHECKSUM, found := _checksum(about, b"".join(tensors.values()))) != found:
        raise ValueError(f"damaged: its content has the {_CHECKSUM} {found}, expected {_cut(about[_CHECKSUM])}")
    return Network(game, shape, planes, scales, features, tensors, training, calibration)


def _checksum(about: Mapping[str, str], data: bytes) -> str:
    """Return the SHA-256 of the metadata, except any checksum, and the tensors."""
    others = {key: text for key, text in about.items() if key != _CHECKSUM}
    return sha256(json.dumps(others, sort_keys=True).encode() + data).hexdigest()


def _check_metadata(about: Json) -> None:
    """Raise ValueError for an unsupported version, a missing game, and metadata that are unknown or not strings."""
    for key, text in about.items():
        if not isinstance(text, str):
            raise ValueError(f"{_cut(key)} is {_cut(json.dumps(text))}, expected a string")
    if about.get("version") != VERSION:
        raise ValueError(f"weights of version {_cut(about.get('version'))}, expected {VERSION}")
    if "game" not in about:
        raise ValueError("game: missing, expected a name")
    for key in about:
        if key not in _METADATA:
            raise ValueError(f"{_cut(key)}: unknown metadata, expected {', '.join(_METADATA)}")


def _read_header(raw: bytes) -> tuple[Json, bytes]:
    """Return the header of a file and the bytes after it. Raises ValueError if the header is invalid."""
    length = int.from_bytes(raw[:_LENGTH_BYTES], "little")
    if len(raw) < _LENGTH_BYTES + length or length > _LARGEST_HEADER:
        raise ValueError(f"{_NO_WEIGHTS}: {len(raw)} bytes, with a header of {length} bytes")
    begin = _LENGTH_BYTES + length
    try:
        return parse_object(raw[_LENGTH_BYTES:begin]), raw[begin:]
    except ValueError as error:
        raise ValueError(f"{_NO_WEIGHTS}: its header: {error}") from None


def _read_value(about: Json, key: str) -> object:
    """Return the value of `key`, which the header holds as JSON text. Raises ValueError if it is missing or invalid."""
    if key not in about:
        raise ValueError(f"{key} is missing, expected JSON in a string")
    text = about[key]
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"{key} is {_cut(text)}, expected JSON: {error}") from None


def _read_shape(value: object) -> NetworkShape:
    if not isinstance(value, dict):
        raise ValueError(f"shape is {_cut(value)}, expected an object")
    for each in fields(NetworkShape):
        found = value.get(each.name)
        if each.type is bool:
            if not isinstance(found, bool):
                raise ValueError(f"shape: {each.name} is {_cut(repr(found))}, expected true or false")
            continue
        allowed = _SIZES.get(each.name, _SIZE)
        if type(found) is not int or found not in allowed:
            raise ValueError(f"shape: {each.name} is {_cut(repr(found))}, expected {allowed}")
    return NetworkShape(**{each.name: value[each.name] for each in fields(NetworkShape)})


def _read_calibration(about: Json) -> float:
    """Return the calibration in a header, or 1 if it is missing. Raises ValueError if it is invalid."""
    if "calibration" not in about:
        return 1.0
    power = _read_value(about, "calibration")
    if isinstance(power, bool) or not isinstance(power, int | float) or power not in _CALIBRATION:
        raise ValueError(f"calibration is {_cut(about['calibration'])}, expected {_CALIBRATION}")
    return float(power)


def _read_names(about: Json, key: str, count: int) -> tuple[str, ...]:
    names = _read_value(about, key)
    if not isinstance(names, list) or len(names) != count or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{key} is {_cut(names)}, expected a list of {count} names, as its shape says")
    return tuple(names)


def _read_scales(about: Json, count: int) -> tuple[int, ...]:
    scales = _read_value(about, "scales")
    if not isinstance(scales, list) or len(scales) != count:
        raise ValueError(f"scales is {_cut(scales)}, expected a list of {count} numbers, as its shape says")
    for scale in scales:
        if type(scale) is not int or scale not in _SCALE:
            raise ValueError(f"scales: {_cut(scale)}, expected {_SCALE}")
    return tuple(scales)


def _read_tensors(shape: NetworkShape, header: Json, data: bytes) -> dict[str, bytes]:
    """Return the tensors in the order of the shape, whatever their order in the file. Raises ValueError for a fault."""
    tensors: dict[str, bytes] = {}
    spans: list[tuple[int, int, str]] = []
    for name, (dtype, sizes) in shape.tensors().items():
        row = header.pop(name, None)
        if not isinstance(row, dict):
            raise ValueError(f"{name} is missing, expected {dtype} {list(sizes)}")
        if (row.get("dtype"), row.get("shape")) != (dtype, list(sizes)):
            there = f"{_cut(row.get('dtype'))} {_cut(row.get('shape'))}"
            raise ValueError(f"{name} is {there}, expected {dtype} {list(sizes)}")
        offsets = row.get("data_offsets")
        match offsets:
            case [int(start), int(end)] if 0 <= start <= end:
                tensors[name] = data[start:end]
                spans.append((start, end, name))
            case _:
                raise ValueError(f"{name}: data_offsets is {_cut(offsets)}, expected its begin and end in bytes")
        expected = prod(sizes) * _WIDTHS[dtype]
        if len(tensors[name]) != expected:
            raise ValueError(f"{name} has {len(tensors[name])} bytes, expected {expected}")
        if dtype == "I32":
            largest = max(map(abs, struct.unpack(f"<{expected // _WIDTHS[dtype]}i", tensors[name])), default=0)
            if largest > _LARGEST_BIAS:
                raise ValueError(f"{name} has {largest}, expected at most {_LARGEST_BIAS}")
    if header:
        raise ValueError(f"{_cut(next(iter(header)))}: unknown tensor, not part of a network of this shape")
    _check_spans(spans, len(data))
    return tensors


def _check_spans(spans: Sequence[tuple[int, int, str]], size: int) -> None:
    """Raise ValueError unless the tensors' byte ranges cover the data without a gap."""
    after = 0
    for start, end, name in sorted(spans):
        if start != after:
            raise ValueError(f"{name} begins at byte {start}, expected {after}, where the tensor before it ends")
        after = end
    if after != size:
        raise ValueError(f"expected no data after the last tensor, got {size - after} bytes")


def _cut(value: object) -> str:
    """Return the beginning of a value as text, for a message."""
    return printable(str(value))[:_MOST_SAID]
