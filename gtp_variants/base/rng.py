"""The random generator for repairs and playouts: splitmix64, with the same numbers as `ai/kernel/belief/rng.hpp`."""

_WORD = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15
_UNIT = 2.0**-53


def mix(z: int) -> int:
    """Return the output of splitmix64 for a state."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Rng:
    """A splitmix64 generator."""

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state

    @classmethod
    def of_playout(cls, seed: int, index: int) -> "Rng":
        """Return the generator for a playout. It depends only on the seed and the playout's index."""
        return cls(mix((mix((seed + _GOLDEN) & _WORD) + index) & _WORD))

    def random(self) -> float:
        """Return a random number from 0.0 up to, but not including, 1.0."""
        self.state = z = (self.state + _GOLDEN) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((z ^ (z >> 31)) >> 11) * _UNIT

    def below(self, n: int) -> int:
        """Return a random whole number from 0 to n - 1."""
        self.state = z = (self.state + _GOLDEN) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((z ^ (z >> 31)) >> 32) * n >> 32
