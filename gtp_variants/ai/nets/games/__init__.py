"""Games that move fast, for those who learn: one at a time, or many stepped together."""
