"""Players, clocks, tables and hosted games."""
