"""Access to OGS, the Online Go Server, by WebSocket and REST: transport and values, challenges and games, the roles.

Nothing here has been tried on the real server. Facts from the server's own clients are as reliable as those clients.
Whatever cannot be known without an account is called a guess and listed in docs/ogs.md.
"""
