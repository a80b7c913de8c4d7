"""The games, with one file for each."""
