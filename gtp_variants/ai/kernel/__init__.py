"""The C++ kernel, compiled from the folders `kernel/` of mcts, nets and training; and games as it takes them."""
