"""The rules of the games in words for players, in English and French, with diagrams.

A game has two files in `chapters/`: a .toml file with its sentences in both languages, and a .py file that selects them
by the game's options. A diagram is a list of moves that the rules play and the records room draws.
"""
