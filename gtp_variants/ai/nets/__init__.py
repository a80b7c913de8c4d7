"""What one needs to train networks on these games, which takes numpy, and to play with one, which does not."""
