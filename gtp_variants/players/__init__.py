"""Who plays and where: the seat every player is, the clock, and the table they sit at."""
