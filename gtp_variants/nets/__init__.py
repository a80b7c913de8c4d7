"""What one needs to train a network on these games: positions as arrays. Needs numpy, which nothing else loads."""

from importlib.util import find_spec

if find_spec("numpy") is None:
    raise ImportError("gtp_variants.nets needs numpy; pip install 'gtp-variants[arrays]'")
