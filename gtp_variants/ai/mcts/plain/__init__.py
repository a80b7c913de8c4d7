"""Playouts and tree search in plain Python: a readable twin of the C++ kernel that also runs where it was not built."""
