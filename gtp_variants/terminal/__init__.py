"""Games at a terminal: shown, replayed, played, refereed."""
