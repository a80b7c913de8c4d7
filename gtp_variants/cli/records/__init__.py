"""Commands for game records and dice logs."""
