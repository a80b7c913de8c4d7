"""What thinks: the kernel in C++, tree search, networks, hypotheses about hidden stones, and samples to learn from."""
