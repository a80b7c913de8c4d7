"""Tournaments on the server: a file states the plan, and rounds follow from results."""
