"""Commands for bots that meet: matches, a bot on a server, a server of one's own."""
