"""A client through which a bot plays on Go servers: a common core, and an adapter for each kind of server."""
