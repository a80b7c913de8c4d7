"""When a search that counts playouts or seconds has done enough."""

from collections.abc import Iterable
from math import inf

from gtp_variants.mcts.settings import SearchLimits

# So many times the visits of the second move make the best one clear.
_CLOSE = 2.5


def is_enough(limits: SearchLimits, visits: Iterable[int], done: int, took_s: float, may_stop_early: bool) -> bool:
    """Whether the time is over, or the rest of it and of the playouts would not change which move is visited most.

    `may_stop_early` says whether the second question is asked now, if the limits allow it at all.
    """
    is_asked = limits.stop_early and may_stop_early
    if not is_asked and not 0 < limits.seconds <= took_s:
        return False
    second, best = sorted([0, 0, *visits])[-2:]
    end_s = max(limits.seconds, limits.most_seconds) if best < _CLOSE * second else limits.seconds
    if limits.seconds > 0 and took_s >= end_s:
        return True
    left = limits.playouts - done if limits.playouts > 0 else inf
    if limits.seconds > 0:
        left = min(left, done * (end_s - took_s) / max(took_s, 1e-6))
    return is_asked and best - second > left
