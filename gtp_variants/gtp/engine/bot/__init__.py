"""The bot behind the engine: whom a colour is played by, what it finds, and what it may know."""
