"""Commands for players: the terminal, the page, GoGui and Sabaki, the rules."""
