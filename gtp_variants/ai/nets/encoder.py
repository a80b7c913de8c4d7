"""`Encoder`: turns a position, or a seat's knowledge of it, into arrays for a network. Also the symmetries of a board.

A position is encoded as planes, with a small integer per point, and global features. Colours are relative (own, next in
turn order, third), so one network can play every colour. `docs/encoder.md` and `Encoder.describe` explain each number.
"""

import numpy as np
from numpy.typing import NDArray

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.nets.encoding.features import features_of
from gtp_variants.ai.nets.encoding.layout import picture_cells, point_symmetries, tap_table
from gtp_variants.ai.nets.encoding.planes import planes_of
from gtp_variants.ai.nets.encoding.scene import Scene
from gtp_variants.rules.actions import PASS, SWAP
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules, check_fits, check_seat
from gtp_variants.rules.views import View

FloatArray = NDArray[np.float32]
LevelArray = NDArray[np.uint8]
IndexArray = NDArray[np.int32]


class Encoder:
    """The input of a network for a game.

    `planes`  names of the planes; divide their integers by `scales`. `globals` are the names of the global features
    `actions`  the action for each policy index: points, then PASS and SWAP if the game has them; shape (A,)
    `taps`  for each point, the point itself, then its neighbours by direction, on squares also on diagonals; a
        missing neighbour is given as the number of points; shape (points, T)
    `grid`  size (rows, columns) of a picture in which `cells` are the (row, column) of each point; shape (points, 2)

    The names depend only on the game and the number of players. Other options are features, so that one network serves
    for all their values.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=9")
    >>> encoder = gv.Encoder(rules)
    >>> planes, features = encoder.encode(rules.start())
    >>> planes.shape == (len(encoder.planes), 81), features.shape == (len(encoder.globals),)
    (True, True)
    >>> encoder.planes[:3], int(encoder.actions[-1]) == gv.PASS
    (('board', 'own', 'next'), True)
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._planes, self._features = planes_of(rules), features_of(rules)
        self.planes = tuple(plane.name for plane in self._planes)
        self.globals = tuple(feature.name for feature in self._features)
        self.scales: LevelArray = np.array([plane.scale for plane in self._planes], np.uint8)
        special = [PASS] * rules.has_pass + [SWAP] * rules.has_swap
        self.actions: IndexArray = np.array([*range(len(rules.board)), *special], np.int32)
        self.taps: IndexArray = np.array(tap_table(rules.board), np.int32)
        self.grid, cells = picture_cells(rules.board)
        self.cells: IndexArray = np.array(cells, np.int32)
        for table in (self.scales, self.actions, self.taps, self.cells):
            table.setflags(write=False)

    def __reduce__(self) -> tuple[type["Encoder"], tuple[Rules]]:
        return Encoder, (self.rules,)

    def encode(self, seen: Position | View, colour: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the planes, 0 to 1, shape (planes, points), and the global features, shape (globals,).

        In an open game, the position is seen by the side to move, or by `colour`. With hidden stones, a View shows only
        what its seat knows; a position shows the whole board to the side to move, for searches of imagined positions.
        Raises ConfigError for a position or view of another game, NotationError for a colour that nobody plays.
        """
        levels, features = self.encode_levels(seen, colour)
        return levels.astype(np.float32) / self.scales.astype(np.float32)[:, None], features

    def encode_levels(self, seen: Position | View, colour: int | None = None) -> tuple[LevelArray, FloatArray]:
        """Return the planes as integers from 0 to `scales`, and the global features. For the rest see `encode`."""
        check_fits(self.rules, seen)
        if colour is not None:
            check_seat(self.rules, colour)
        position = seen.position if isinstance(seen, View) else seen
        is_side_to_move = position is not None and colour in (None, position.mover)
        if position is None or search_backend(self.rules) != "native" or not (self.rules.is_open or is_side_to_move):
            return self.encode_plainly(seen, colour)
        from gtp_variants.ai.kernel.states import state_of
        from gtp_variants.ai.nets.kernel_network import kernel_encoder

        levels = np.empty((len(self.planes), len(self.rules.board)), np.uint8)
        features = np.empty(len(self.globals), np.float32)
        viewer = 0 if colour is None or is_side_to_move else colour
        kernel_encoder(self.rules).encode(state_of(self.rules, position), viewer, levels, features)
        return levels, features

    def encode_plainly(self, seen: Position | View, colour: int | None = None) -> tuple[LevelArray, FloatArray]:
        """Return what `encode_levels` returns, computed in plain Python, which is slower than the kernel."""
        scene = Scene(self.rules, seen, colour)
        levels = np.array([plane.levels(scene) for plane in self._planes], np.uint8)
        return levels, np.array([feature.value(scene) for feature in self._features], np.float32)

    def describe(self, name: str) -> str:
        """Return the meaning of a plane or feature, with its scale or range. Raises KeyError for other names."""
        meanings = {plane.name: f"{plane.meaning} (in steps of 1/{plane.scale})" for plane in self._planes}
        meanings |= {feature.name: f"{feature.meaning} ({feature.bounds})" for feature in self._features}
        return meanings[name]


def symmetries(rules: Rules) -> NDArray[np.int32]:
    """Return the permutation of points for each symmetry respected by rules, dice and encoder, the identity first.

    The shape is (S, points). S is 8 on a square board and up to 12 on hexagons; it is smaller if the board's shape, its
    runs of five or its dice lines break some symmetries. `moved[:, symmetries[s]] = planes` transforms planes.

    >>> import gtp_variants as gv
    >>> gv.symmetries(gv.parse("go:size=9")).shape
    (8, 81)
    >>> gv.symmetries(gv.parse("pentalath")).shape
    (2, 70)
    >>> gv.symmetries(gv.parse("rosette:n=3"))[0][:4].tolist()
    [0, 1, 2, 3]
    """
    return np.array(point_symmetries(rules), np.int32)
