"""Training of networks by self-play. It needs numpy, PyTorch and the kernel."""
