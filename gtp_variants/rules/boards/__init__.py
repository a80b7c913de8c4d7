"""The graphs that games are played on, and what chains of stones on them are."""
