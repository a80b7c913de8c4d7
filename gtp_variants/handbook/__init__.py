"""The rules of the games in words for players, in English and French, with diagrams.

A game has two files in `chapters/`: its sentences in both languages (.toml), and which of them hold under which options
(.py). A diagram is a list of moves that the rules play and the records draw.
"""
