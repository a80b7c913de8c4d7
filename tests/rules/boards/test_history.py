"""The boards that have occurred in a game, stored as a value."""

import pickle
from collections import Counter
from random import Random

from gtp_variants.rules.boards.history import History


def history(keys: list[bytes]) -> History:
    found = History()
    for key in keys:
        found = found.add(key)
    return found


def test_it_counts_how_often_each_key_occurred() -> None:
    rng = Random(1)
    keys = [bytes([rng.randrange(60)]) for _ in range(500)]
    found, expected = History(), Counter[bytes]()
    for key in keys:
        found = found.add(key)
        expected[key] += 1
        assert found.count(key) == expected[key]
        assert len(found) == len(expected)
    for number in range(70):
        assert found.count(bytes([number])) == expected[bytes([number])]
        assert (bytes([number]) in found) == (bytes([number]) in expected)
    assert set(found) == set(expected)


def test_adding_leaves_the_old_one_as_it_was() -> None:
    kept = [History()]
    for number in range(100):
        kept.append(kept[-1].add(bytes([number % 7, number % 50])))
    for length, one in enumerate(kept):
        assert sum(one.count(key) for key in one) == length


def test_two_histories_branch_from_one() -> None:
    root = history([bytes([number]) for number in range(40)])
    left, right = root.add(b"left"), root.add(b"right")
    assert b"left" not in root
    assert b"left" not in right
    assert left != right


def test_histories_with_the_same_counts_are_equal_and_hash_alike() -> None:
    keys = [bytes([number]) for number in range(33)]
    for one, other in (
        (history([b"a", b"b"]), history([b"b", b"a"])),
        (history([keys[0], *keys]), history([*keys, keys[0]])),
        (history(keys), history(keys[::-1])),
    ):
        assert one == other
        assert hash(one) == hash(other)


def test_different_histories_differ() -> None:
    assert history([b"a"]) != history([b"b"])
    assert history([b"a"]) != history([b"a", b"a"])
    assert History() != {}


def test_a_history_travels() -> None:
    for keys in ([], [b""], [bytes([number % 45]) for number in range(80)], [b"a" * number for number in range(40)]):
        found = history(keys)
        read = pickle.loads(pickle.dumps(found))
        assert read == found
        assert read.counts() == found.counts()
        assert read.add(b"new") == found.add(b"new")
