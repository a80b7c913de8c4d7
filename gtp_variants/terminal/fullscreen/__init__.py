"""The full-screen view of a game: a board with a cursor, a panel beside it, and an input line below."""
