"""Commands about engines: ours, other people's, their networks and their speed."""
