"""The rules of the games, written for players in English and French, with diagrams.

A game has two files in `chapters/`: a .toml file with its sentences in both languages, and a .py file that selects them
by the game's options. A diagram is given as a list of moves. The rules play the moves, and `records` draws the board.
"""
