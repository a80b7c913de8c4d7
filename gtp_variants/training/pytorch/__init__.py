"""What PyTorch does: learning, and on a graphics card judging thousands of positions of self-play at a time."""
