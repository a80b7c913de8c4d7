"""The Go Text Protocol (GTP): our own engine, and the client for other people's engines."""
