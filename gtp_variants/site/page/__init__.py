"""What a game that is hosted needs besides its rules: those who listen to it, the locks of its seats, its bots."""
