"""Game records: writing games to files, reading them back, and drawing them. Nothing here applies a rule of its own."""
