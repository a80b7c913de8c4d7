"""Game records: writing games to files, reading them back, and drawing them. The rules of the games are in `rules`."""
