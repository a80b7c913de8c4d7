"""Handlers of the GTP commands, a module for each subject, loaded with its first command."""
