"""Playouts and tree search in plain Python: the readable twin of the C++ kernel, and what runs without a compiler."""
