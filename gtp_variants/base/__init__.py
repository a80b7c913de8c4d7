"""Tools that any program needs: files, numbers, processes, connections, random numbers. Nothing here knows a game."""
