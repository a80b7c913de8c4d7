"""`server --watch`: the games that are on, shown on the page of a running `serve`.

A hidden game is not told of before it is over: what crosses the line to the page could be read on the way by a player.
"""

import time

from gtp_variants.players.publisher import Clocks, Publisher, Shown
from gtp_variants.site.lobby.account_game import AccountGame, by_letter

# So many games are shown at a time: the page and the publisher have room for them.
_MOST = 60


class ServerBroadcast:
    """Hands the games of a server to a publisher; `source` is what people find them under."""

    def __init__(self, publisher: Publisher, source: str) -> None:
        self._publisher = publisher
        self._source = source
        self._on: set[int] = set()

    def show(self, game: AccountGame) -> None:
        """A game stands so now, and the clock of the side to move begins to run."""
        if game.result:
            self._on.discard(game.number)
        elif not game.rules.is_open or len(self._on | {game.number}) > _MOST:
            return
        else:
            self._on.add(game.number)
        self._publisher.show(str(game.number), game_for_page(self._source, game))


def game_for_page(source: str, game: AccountGame) -> Shown:
    """A game as those see it who watch; the secret of its dice when it is over."""
    record = game.record()
    is_over = bool(game.result)
    return Shown(
        source,
        f"game {game.number}",
        game.rules.spec,
        by_letter(game.names),
        tuple(game.game.events),
        commitment=record.commitment,
        secret=record.secret.hex() if record.secret is not None and is_over else None,
        is_over=is_over,
        result=game.result,
        why=game.hosted.why,
        clocks=Clocks(by_letter(game.left_s), time.monotonic(), free_s=game.hosted.clocks.free_left_s),
    )
