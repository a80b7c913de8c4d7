"""Tuning the parameters of a player by matches: what is tried next, and what all results together say."""
