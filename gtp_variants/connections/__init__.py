"""Connections of strangers, whatever is served over them: who may hold one open, and for how long."""
