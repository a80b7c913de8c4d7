"""Games in a terminal: boards, dice, typed lines, and a voice that reads aloud."""
