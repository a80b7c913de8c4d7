"""Fast games for learning programs: one at a time, or many stepped together."""
