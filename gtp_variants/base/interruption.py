"""A callback that tells long-running work to stop. Searches call a `mcts.result.OnProgress` instead."""

from collections.abc import Callable

# Called repeatedly. Once it returns True, the work ends with the results it has.
ShouldStop = Callable[[], bool]


def never() -> bool:
    """Return False: the `ShouldStop` for work that is to run to its end."""
    return False
