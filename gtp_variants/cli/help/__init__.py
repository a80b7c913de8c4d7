"""Help on the commands: help texts, completion, man pages and the reference."""
