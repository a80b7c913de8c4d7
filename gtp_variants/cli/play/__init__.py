"""Commands for people who play: the terminal, the page, GoGui and Sabaki, the rules."""
