"""What an engine must know of the program that hosts it: its dice, its quirks, its log, what it says to people."""
