"""Matches between bots: what a YAML file asks for, played, kept and counted."""
