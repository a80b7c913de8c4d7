"""Bots' thinking."""
