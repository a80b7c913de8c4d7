"""Playouts and tree search in plain Python: a readable twin of the C++ kernel, for machines without it."""
