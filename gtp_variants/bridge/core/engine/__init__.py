"""Who thinks in a game: on a thread of its own, checked, within a share of the clock, replaced when it fails."""
