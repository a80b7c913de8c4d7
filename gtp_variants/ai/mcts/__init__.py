"""Monte Carlo tree search and playouts, in the C++ kernel or, without it, in plain Python."""
