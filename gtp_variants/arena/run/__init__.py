"""Playing a match: its games in processes, the referee of each, and the database that keeps them."""
