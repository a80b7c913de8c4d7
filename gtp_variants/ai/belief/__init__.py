"""What a seat that does not see every stone may think: what it heard, and games that agree with that.

observation   a piece of news, as what it says of hidden stones: `observations.py`
assignment    a point for each hidden stone; each observation that it contradicts is a conflict: `repair.py`
hypothesis    one game that may have happened, by an assignment; conflicts may be left in it: `hypothesis.py`
world         a hypothesis without conflicts that the rules allow. `Worlds` keeps many of them, the particles of a
              particle filter, and what is called `worlds` in settings is how many: `worlds.py`
position      where the game of a world stands, which is what a search is given. Several worlds may come to one
              position. To imagine is to find a world and to take its position: `imagine` in `hypothesis.py`.
board         the stones of a position without what led to it; `enumeration.py` counts all that can be
chance        of a hidden stone on a point: the share of the worlds, or of all games, that have it: `stone_odds.py`
"""
