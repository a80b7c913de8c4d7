"""Records as SGF FF[4]: the syntax, and the meaning of the properties in our games."""
