"""`bridge --watch`: a game on a server as those see it who watch it on our page."""

from gtp_variants.bridge.sitting import Sitting
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.watching.publisher import Shown


def shown(bridge: str, sitting: Sitting) -> Shown:
    """The game as it stands; the secret of its dice once it is over, as in its record."""
    record = sitting.record()
    game = record.game
    return Shown(
        bridge,
        sitting.entry.record,
        game.rules.spec,
        {COLOUR_LETTERS[colour]: name for colour, name in record.players.items()},
        tuple(game.events),
        tuple(sorted(game.setup.items())),
        game.first,
        record.commitment,
        None if record.secret is None else record.secret.hex(),
        sitting.is_over,
        sitting.game.result,
    )
