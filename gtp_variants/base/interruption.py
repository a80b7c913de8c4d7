"""A callback by which long work learns that it is to end. Searches call a `mcts.result.OnProgress` instead."""

from collections.abc import Callable

# Called repeatedly; once it returns True the work ends with the results it has.
ShouldStop = Callable[[], bool]


def never() -> bool:
    """Return False: the `ShouldStop` of work that runs to its end."""
    return False
