"""Networks: training on these games, which needs numpy, and playing with them, which does not."""
