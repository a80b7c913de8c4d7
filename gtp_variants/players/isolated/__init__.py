"""Other people's bots, each in a process of its own that hears only the news for its seat."""
