"""Our games in other people's frameworks. Each adapter needs the optional extra of its name."""
