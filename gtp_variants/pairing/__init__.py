"""Who meets whom in the rounds of a tournament: round robin and Swiss."""
