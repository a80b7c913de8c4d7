"""A bot at work on Go servers: one core, and one small adapter for each kind of server."""
