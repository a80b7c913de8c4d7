"""Handlers of the GTP commands, with one module per subject, loaded when first needed."""
