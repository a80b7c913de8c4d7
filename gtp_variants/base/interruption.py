"""How long work learns that it is to end: by what it calls now and then.

A search, which has something to show meanwhile, calls a `mcts.result.OnProgress` instead.
"""

from collections.abc import Callable

# Called now and then; once it answers true the work ends with what it has.
ShouldStop = Callable[[], bool]


def never() -> bool:
    """The `ShouldStop` of whoever waits for all of it."""
    return False
