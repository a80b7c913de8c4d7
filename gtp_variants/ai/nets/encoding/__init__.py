"""The conversion of positions to numbers: tables of planes and global features, and their common inputs."""
