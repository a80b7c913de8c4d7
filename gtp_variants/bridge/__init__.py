"""A client that plays for a bot on Go servers: a common core, and an adapter for each kind of server."""
