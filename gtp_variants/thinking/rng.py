"""The one source of chance: splitmix64, the same as `kernel/rng.hpp`."""

_WORD = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """The output function of splitmix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Rng:
    """splitmix64."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state

    @classmethod
    def of_playout(cls, seed: int, index: int) -> "Rng":
        """The generator of a playout: its number and the seed are all it depends on."""
        return cls(mix((mix((seed + _GOLDEN) & _WORD) + index) & _WORD))

    def below(self, n: int) -> int:
        """0 to n - 1."""
        self._state = z = (self._state + _GOLDEN) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((z ^ (z >> 31)) >> 32) * n >> 32
