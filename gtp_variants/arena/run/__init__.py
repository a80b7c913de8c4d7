"""Playing a match: the processes of its games, the referee, the players' processes, and checks beforehand."""
