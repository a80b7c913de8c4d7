"""A bot that plays random legal moves and never fills its own eye."""

import gtp_variants as gv


class Uniform(gv.Seat):
    """Plays at random, never fills its own eye, and passes if nothing else is left."""
