"""Matches between bots and programs: read from a file, played, kept in a database, and reported with statistics."""
