"""`bridge --watch`: a game on a server as those see it who watch it on our page."""

from gtp_variants.records.record import Record
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.watching.publisher import Shown


def shown(bridge: str, name: str, record: Record, is_over: bool, result: str) -> Shown:
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
        result,
    )
