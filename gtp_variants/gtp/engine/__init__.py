"""The GTP engine, which reads command lines from a host and answers them."""
