"""Processes: their pipes, cores, locks and secrets, and guards that end them with the process they work for."""
