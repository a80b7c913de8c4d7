"""Records as SGF FF[4]: the syntax, and what the properties mean for our games."""
