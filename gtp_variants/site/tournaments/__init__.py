"""Tournaments on the server: a file says what is played, rounds follow from results."""
