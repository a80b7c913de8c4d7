"""Commands for records of games and logs of dice."""
