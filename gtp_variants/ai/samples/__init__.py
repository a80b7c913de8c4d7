"""Games as rows of arrays for training: made from finished games, kept in files, read in batches."""
