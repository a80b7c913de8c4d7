"""The symmetries of a game's board: permutations of its points under which nothing changes but where things lie."""

import numpy as np
from numpy.typing import NDArray

from gtp_variants.nets.encoding.layout import point_symmetries
from gtp_variants.rules.rules import Rules


def symmetries(rules: Rules) -> NDArray[np.int32]:
    """Where each point goes under each symmetry that rules, draws and encoder respect; the first is the identity.

    Shape (S, points): 8 rows on a square board, up to 12 on hexagons, fewer where the shape of the board, its runs of
    five or the lines that dice name allow no more. `moved[:, symmetries[s]] = planes` moves planes along.

    >>> import gtp_variants as gv
    >>> gv.symmetries(gv.parse("go:size=9")).shape
    (8, 81)
    >>> gv.symmetries(gv.parse("pentalath")).shape
    (2, 70)
    >>> gv.symmetries(gv.parse("rosette:n=3"))[0][:4].tolist()
    [0, 1, 2, 3]
    """
    return np.array(point_symmetries(rules), np.int32)
