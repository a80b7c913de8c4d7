"""The GTP engine: lines from a host in, answers out."""
