"""Commands that say how the others are called: help, completion for shells, man pages."""
