"""Commands for competing bots: matches, a bot on a Go server, a server of your own."""
