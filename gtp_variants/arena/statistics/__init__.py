"""Counts of the games of a match, and when it is decided."""
