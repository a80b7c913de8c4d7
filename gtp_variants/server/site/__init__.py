"""The server's pages: standings, ratings over time, games to replay; for programs its health and metrics."""
