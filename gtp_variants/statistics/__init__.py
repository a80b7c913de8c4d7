"""Statistics for matches: Elo and its interval from pairs of games, the SPRT, and ratings of many players.

>>> from gtp_variants import statistics
>>> found = statistics.estimate((0, 0, 1, 0, 4))     # five pairs of games, nine games of ten won
>>> round(found.elo), [round(bound) for bound in found.interval], round(found.los, 3)
(316, [6, 760], 0.977)
>>> statistics.llr((20, 0, 48, 0, 32), elo0=0, elo1=10) > statistics.bounds(0.05, 0.05)[1]
False
"""

from gtp_variants.statistics.estimates import (
    Estimate as Estimate,
    elo_of_score as elo_of_score,
    estimate as estimate,
    score_of_elo as score_of_elo,
)
from gtp_variants.statistics.ratings import Ratings as Ratings, rate as rate
from gtp_variants.statistics.sequential import estimate_after_test as estimate_after_test
from gtp_variants.statistics.sprt import bounds as bounds, llr as llr
