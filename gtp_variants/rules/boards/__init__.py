"""The graphs that games are played on, and the chains of stones on them."""
