"""A bot of somebody else's in a process of its own: it is told what its seat hears, and reaches nothing else."""
