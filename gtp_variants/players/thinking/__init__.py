"""The parts of a bot's thinking besides its search: time, passing, hints, ownership, search in slices."""
