"""What any program needs and no game: files, numbers, processes, connections, random numbers."""
