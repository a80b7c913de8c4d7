"""What people at a game have to do with each other besides playing it: chat, draws, another game."""
