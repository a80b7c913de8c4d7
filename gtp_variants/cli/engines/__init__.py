"""Commands about engines (ours and other people's), networks and speed."""
