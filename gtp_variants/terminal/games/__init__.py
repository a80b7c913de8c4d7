"""Games of people at a terminal: `play` and `referee`."""
