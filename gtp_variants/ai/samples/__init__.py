"""Games as rows of arrays for training: made from finished games, stored in files, and read in batches."""
