"""The C++ kernel, and the conversion of games to its data structures."""
