"""Completion scripts, one module a shell: each writes the descriptions of the commands in the words of that shell."""
