"""Games as rows of arrays, for who trains networks: made of a finished game, kept in files, read back in batches."""
