"""Configuration files: YAML as people mean it, durations and time controls, every fault with its path."""
