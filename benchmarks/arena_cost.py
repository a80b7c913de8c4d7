"""What the arena costs beside its players: programs that answer at once, and how busy the cores are with real ones.

    python benchmarks/arena_cost.py [--games 200] [--spec go:size=19] [--moves 100]

The program is a GTP engine in C that answers at once and plays the first empty point from a list; it is compiled with
`cc`. Times are wall-clock milliseconds a game; CPU is that of the arena's own processes.
"""
