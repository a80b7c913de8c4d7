"""The weights that are shipped, a file a game or two; `nets.weight_choice` says which one plays.

A file is called by the game, where three play with their number behind it: `go.safetensors`, `pentalath-3.safetensors`.
Others may stand beside it, for other points for White and for larger boards: `go-komi.safetensors`,
`go-large.safetensors`. What tells where hidden stones may be has a file of its own:
`phantom-hidden-stones.safetensors`.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
SUFFIX = ".safetensors"
