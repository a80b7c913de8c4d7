"""A first login on a real server: what it says is written down and held against what we believe of it."""
