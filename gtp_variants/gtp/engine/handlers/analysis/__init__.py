"""Analysis: what a host asks for, a search that reports while it goes on, and what is said of it."""
