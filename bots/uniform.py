"""A bot that plays uniformly random legal moves and never fills its own eye."""

import gtp_variants as gv


class Uniform(gv.Seat):
    """Random, fills no eye of its own, passes when there is nothing else to do."""
