"""The web: the page on which people play, and the server on which bots and people meet."""
