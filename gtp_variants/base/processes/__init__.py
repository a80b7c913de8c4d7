"""What runs where: the cores there are, processes that end with the one they work for, a Dask cluster."""
