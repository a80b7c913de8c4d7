"""The chapters of the handbook, one for each game."""
