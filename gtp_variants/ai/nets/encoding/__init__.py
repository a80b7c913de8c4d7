"""How a position becomes numbers: tables of planes and of global features, and what they are worked out from."""
