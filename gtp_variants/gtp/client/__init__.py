"""The client for other people's GTP engines: starts them, sends them commands, and seats them in our games."""
