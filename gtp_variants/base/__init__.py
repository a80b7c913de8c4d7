"""Tools that know nothing about games: files, numbers, processes, connections and random numbers."""
