"""How long to wait before the next login: twice as long each time, and never long while somebody may be waiting."""

from gtp_variants.bridge.core.config import ReconnectConfig

# A connection that lasted so long was a good one: the next wait is the first again.
_STEADY_S = 60.0
# Nobody who has a game with us, and no clock of ours, waits longer than this for the next login.
_LONGEST_AWAITED_S = 10.0
# A line of a game that lasted so long was cut, and nobody throws us out: it is opened anew at once.
_PLAYED_S, _AT_ONCE_S = 5.0, 0.25


class Backoff:
    """The waits of one account."""

    def __init__(self) -> None:
        self._wait_s = 0.0

    def note_game(self) -> None:
        """A game is on: the line is a good one."""
        self._wait_s = 0.0

    def find_pause(self, config: ReconnectConfig, lasted_s: float, *, is_awaited: bool) -> float:
        """How many seconds to wait after a connection that lasted so long; `is_awaited`: somebody may be waiting."""
        if lasted_s > _STEADY_S:
            self._wait_s = 0.0
        is_first = not self._wait_s
        self._wait_s = min(config.most_s, max(config.first_s, 2 * self._wait_s))
        if not is_awaited:
            return self._wait_s
        at_once = is_first and lasted_s > _PLAYED_S
        return min(self._wait_s, _AT_ONCE_S if at_once else _LONGEST_AWAITED_S)
