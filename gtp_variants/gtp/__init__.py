"""The Go Text Protocol: our engine, and other people's engines."""
