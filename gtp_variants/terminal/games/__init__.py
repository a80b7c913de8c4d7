"""Games that people play in a terminal, by the commands `play` and `referee`."""
