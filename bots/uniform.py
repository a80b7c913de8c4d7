"""The plainest bot: any point that is not its own eye. All the rest is what every seat does."""

import gtp_variants as gv


class Uniform(gv.Seat):
    """Random, fills no eye of its own, passes when there is nothing else to do."""
