"""Reports of matches as text, CSV, JSON and HTML pages, and the games in progress on a terminal or a server."""
