"""What bots think with beside a search: how long a move may take, when to pass; a move for whoever asks for one."""
