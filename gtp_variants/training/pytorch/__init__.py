"""The same on a graphics card, by PyTorch: games judged thousands of positions at a time, and learning."""
