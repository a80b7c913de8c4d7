"""Playing a match: checks beforehand, the processes that play its games, the referee, and the players' processes."""
