"""The rules of the games in words for players, in English and French, with diagrams.

One file a game; its sentences depend on the options and stand in both languages side by side. A diagram is a list of
moves that the rules play and the records draw.
"""
