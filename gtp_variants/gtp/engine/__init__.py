"""Our GTP engine: lines of text in, a game with its bot in between, responses out."""
