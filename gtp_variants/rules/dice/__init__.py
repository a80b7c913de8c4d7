"""Dice that are thrown in the open: from a secret, so that everybody can check them afterwards."""
