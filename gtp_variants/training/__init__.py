"""Training of networks: the learner, whose loops are compiled. Needs numpy and the kernel."""
