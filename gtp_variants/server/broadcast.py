"""`server --watch`: the games that are on, shown on the page of a running `serve`.

A hidden game is not told of before it is over: what crosses the line to the page could be read on the way by a player.
"""

import time

from gtp_variants.broadcast.publisher import Clocks, Publisher, Shown
from gtp_variants.server.server_game import Match, by_letter

# So many games are shown at a time: the page and the publisher have room for them.
_MOST = 60


class Broadcast:
    """Hands the games of a server to a publisher; `source` is what people find them under."""

    def __init__(self, publisher: Publisher, source: str) -> None:
        self._publisher = publisher
        self._source = source
        self._on: set[int] = set()

    def show(self, match: Match) -> None:
        """A game stands so now, and the clock of the side to move begins to run."""
        if match.result:
            self._on.discard(match.number)
        elif not match.rules.is_open or len(self._on | {match.number}) > _MOST:
            return
        else:
            self._on.add(match.number)
        self._publisher.show(str(match.number), shown(self._source, match))


def shown(source: str, match: Match) -> Shown:
    """A game as those see it who watch; the secret of its dice when it is over."""
    record = match.record()
    is_over = bool(match.result)
    return Shown(
        source,
        f"game {match.number}",
        match.rules.spec,
        by_letter(match.names),
        tuple(match.table.game.events),
        commitment=record.commitment,
        secret=record.secret.hex() if record.secret is not None and is_over else None,
        is_over=is_over,
        result=match.result,
        why=match.why,
        clocks=Clocks(by_letter(match.left_s), time.monotonic()),
    )
