"""GoGui as host: games by its `gogui-rules_*` commands, pictures by its analyze commands."""
