"""The configuration of matches: typed values, read from a YAML file or the command line, or made in Python."""
