"""The parts of thinking around a search: time, passing, hints, ownership, search in slices."""
