"""The games as OpenSpiel games in Python; importing this package registers them: `pyspiel.load_game("gtp_go(size=9)")`.

Every game is registered as `gtp_NAME`, with underscores for dashes, and takes the options of its SPEC as parameters.
There are two more parameters. After `max_game_length` events (0: 60 per point) a game is scored as it stands, or drawn
if it has no score; `picture` is explained below. Actions are the points, then the swap, then the pass, which has the
last number, as OpenSpiel's tools expect. A throw of the dice is a chance outcome. A refused try in Go Fantôme is an
action that keeps the turn; a point refused in a turn is not offered again in that turn. Passes that would suspend
a game end it: nobody can reject the end.

`observation_tensor` holds what `gtp_variants.Encoder` returns for a player's seat: planes and then global features.
With `picture=true` it holds a picture of shape (rows, columns, planes + features), the format that OpenSpiel's
convolutional networks for JAX read. `information_state_tensor` adds everything that the seat has heard, one row for
each piece of news. The strings of the same names hold the same knowledge as text. `resample_from_infostate` imagines
another game consistent with what the seat heard, so that OpenSpiel's IS-MCTS in Python works on Go Fantôme. OpenSpiel's
C++ bots do not work on games written in Python.
"""

try:
    import pyspiel
except ModuleNotFoundError as error:
    from gtp_variants.adapters import missing

    raise missing(error, "openspiel") from error

from gtp_variants.adapters.openspiel.game import SpielGame, load_game, name_of, register
from gtp_variants.adapters.openspiel.observer import SpielObserver
from gtp_variants.adapters.openspiel.state import SpielState
from gtp_variants.rules import GAMES

__all__ = ["SpielGame", "SpielObserver", "SpielState", "load_game", "name_of"]

for _name in GAMES:
    register(_name)
del pyspiel
