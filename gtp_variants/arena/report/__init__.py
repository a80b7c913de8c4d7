"""Match reports as text, CSV, JSON and HTML pages, and views of the games in progress on a terminal or a server."""
