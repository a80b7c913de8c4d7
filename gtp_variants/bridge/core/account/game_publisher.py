"""`bridge --watch`: makes a snapshot of a game on a Go server, to be published on the page of `serve`."""

import time
from collections.abc import Mapping, Sequence

from gtp_variants.bridge.core.server import ServerGame
from gtp_variants.broadcast.publisher import Clocks, Shown
from gtp_variants.players.clock import Clock
from gtp_variants.records.record import Record
from gtp_variants.rules.words import COLOUR_LETTERS


def snapshot(bridge: str, name: str, record: Record, is_over: bool, on_server: ServerGame) -> Shown:
    """The game as it stands; the secret of its dice where its record has it, which is when it is over."""
    game = record.game
    return Shown(
        bridge,
        name,
        game.rules.spec,
        {COLOUR_LETTERS[colour]: player for colour, player in record.players.items()},
        tuple(game.events),
        tuple(sorted(game.setup.items())),
        game.first,
        record.commitment,
        record.secret.hex() if record.secret is not None and is_over else None,
        is_over,
        on_server.result,
        clocks=_clocks(on_server.clocks, game.rules.colours),
    )


def _clocks(told: Mapping[int, Clock], colours: Sequence[int]) -> Clocks | None:
    """The clocks as the server told them last, if there are any for both."""
    if any(colour not in told or told[colour].control.kind == "none" for colour in colours):
        return None
    return Clocks({COLOUR_LETTERS[colour]: max(0.0, told[colour].left_s) for colour in colours}, time.monotonic())
