"""What bots that search share: how long a move may take, and a move for whoever asks for one."""
