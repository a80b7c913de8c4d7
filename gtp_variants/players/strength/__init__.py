"""How strong a bot of ours plays: ten levels, what they think with, and how people are told."""
