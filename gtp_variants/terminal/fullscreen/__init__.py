"""The game on the whole screen: a cursor on the board, a panel beside it, a line for what is typed below."""
