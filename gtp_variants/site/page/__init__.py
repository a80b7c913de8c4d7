"""The web page on which people play: its games, seats, bots, listeners and routes."""
