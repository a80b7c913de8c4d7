"""Other people's bots in processes of their own, which hear only the news of their seat."""
