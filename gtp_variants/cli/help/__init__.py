"""What says how the commands are used: help, completion, man pages, and the pages of the reference."""
