"""The C++ kernel, tree search, networks, hypotheses about hidden stones, and training samples."""
