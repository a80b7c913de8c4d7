"""Records: games to files and back, and games as pictures. Nothing here decides a rule."""
