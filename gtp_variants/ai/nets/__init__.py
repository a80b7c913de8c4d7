"""Networks: training them on these games, which needs numpy, and playing with them, which does not."""
