"""The configuration of matches: typed values, read from a YAML file, from the command line or made in Python."""
