"""Tools that any program needs: files, numbers, processes, connections, random numbers. None of them knows any game."""
