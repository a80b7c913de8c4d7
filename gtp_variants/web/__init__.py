"""A page to play and watch: games in a browser, by people and bots, over HTTP and WebSocket."""
