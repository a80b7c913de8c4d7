"""A seat's beliefs in a game with hidden stones: its news, and games that agree with them.

* Observation: the facts about hidden stones in one piece of news (`observations.py`).
* Assignment: a point for each hidden stone. Each observation it contradicts is a conflict (`repair.py`).
* Hypothesis: a possible game, from an assignment; it may still have conflicts (`hypothesis.py`).
* World: a legal hypothesis without conflicts. `Worlds` is a particle filter of them (`worlds.py`).
* Position: the current position of a world, which a search gets. Several worlds may share one.
* Chance of a hidden stone on a point: the share of worlds, or of all games, that have it (`stone_odds.py`).
"""
