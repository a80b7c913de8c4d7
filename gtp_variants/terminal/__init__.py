"""What people see and type at a terminal: boards, dice, lines, and a voice that reads aloud."""
