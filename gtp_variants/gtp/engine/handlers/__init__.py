"""What the engine does for each GTP command, by subject; every module has a table HANDLERS, command -> function."""
