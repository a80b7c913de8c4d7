"""Programs for people that start our engine: GoGui and Sabaki."""
