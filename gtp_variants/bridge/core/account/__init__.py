"""One account on a server: its connection, its games, who is matched with whom, its health page and its hooks."""
