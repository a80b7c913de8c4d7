"""Rounds in which everybody meets everybody once: the circle method."""

from collections.abc import Sequence


def pair_rounds(names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """The meetings of each round; with an odd number of names one sits out in each.

    Who comes first in a meeting changes from round to round, so that colours are even. Source: J. Schurig, 1886.
    """
    circle: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    rounds = []
    for number in range(len(circle) - 1):
        meetings = []
        for index in range(len(circle) // 2):
            one, other = circle[index], circle[-1 - index]
            if one is not None and other is not None:
                swaps = number % 2 if index == 0 else index % 2
                meetings.append((other, one) if swaps else (one, other))
        rounds.append(meetings)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds
