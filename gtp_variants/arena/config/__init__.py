"""What a match is to be: typed values, and what reads them from a YAML file or from the command line."""
