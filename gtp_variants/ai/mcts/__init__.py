"""Monte Carlo tree search and playouts, by a C++ kernel or, where it was not built, by its twin in plain Python.

The environment variable GTP_VARIANTS_FORM=python chooses the second one.
"""
