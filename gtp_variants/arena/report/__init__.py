"""What a match came to, for people and programs: text, HTML, CSV, JSON, a progress bar, a live page."""
