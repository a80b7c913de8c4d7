"""Recorded games at a terminal: `show` and `replay`."""
