"""The lobby where bots and people meet. Bots use the CGOS line protocol, extended as in docs/protocol/server.md."""
