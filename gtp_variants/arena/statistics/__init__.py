"""What results say: Elo with its interval, the SPRT, ratings of many players, and when a match is decided."""
