"""Games that are played elsewhere and shown here."""
