"""Thinking beside the search itself: time, passing, hints, ownership, search in slices."""
