"""Positions and games as pictures: text, SVG, and a page that steps through a record."""
