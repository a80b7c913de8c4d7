"""A seat's beliefs in a game with hidden stones: its news, and the games that agree with it.

* Observation: the facts about hidden stones in one piece of news (`observations.py`).
* Assignment: a point for each hidden stone. Each observation that it contradicts is a conflict (`repair.py`).
* Hypothesis: a possible game, built from an assignment; it may still have conflicts (`hypothesis.py`).
* World: a legal hypothesis without conflicts. `Worlds` is a particle filter of worlds (`worlds.py`).
* Position: the current position of a world, given to a search. Several worlds may share one position.
* Chance of a hidden stone on a point: the share of worlds, or of all games, with a stone there (`stone_odds.py`).
"""
