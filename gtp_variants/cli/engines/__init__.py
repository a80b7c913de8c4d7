"""Commands around GTP engines: ours, other people's, and how fast ours thinks."""
