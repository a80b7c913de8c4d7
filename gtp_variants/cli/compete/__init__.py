"""Commands for competitions between bots: matches, a bot on a Go server, and a server of your own."""
