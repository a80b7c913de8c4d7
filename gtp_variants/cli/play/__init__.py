"""Commands for players: games in the terminal, the browser, GoGui and Sabaki, and the rules."""
