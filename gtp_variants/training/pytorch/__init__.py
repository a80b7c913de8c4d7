"""The parts of training that use PyTorch: learning, and self-play judged by a graphics card."""
