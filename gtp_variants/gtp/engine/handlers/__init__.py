"""What the engine does for each GTP command, by subject; a module is loaded when its first command is asked."""
