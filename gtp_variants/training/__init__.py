"""Training of networks by self-play. Needs numpy, PyTorch and the kernel."""
