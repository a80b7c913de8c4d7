"""Fast games for learners: one at a time, or many stepped together."""
