"""Pairing, and the limits on names and accounts."""

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from gtp_variants.errors import Refused
from gtp_variants.site.access.accounts import check_name, check_password, fits, hash_password
from gtp_variants.site.lobby.lobby import Met, Pair, pairs


def pairs_of(waiting: Mapping[str, Sequence[str]], met: Met, rng: random.Random) -> list[Pair]:
    return [pair for group in pairs(waiting, met, rng) for pair in group]


def test_a_crowd_is_paired_in_groups_and_nobody_twice() -> None:
    groups = list(pairs({f"bot{number}": ("go",) for number in range(200)}, Counter(), random.Random(1)))
    assert [len(group) for group in groups] == [20] * 5
    assert len({name for group in groups for pair in group for name in (pair.black, pair.white)}) == 200


def test_everybody_meets_everybody_in_every_game_with_both_colours() -> None:
    met: Met = Counter()
    rng = random.Random(1)
    players = dict.fromkeys("abcd", ("go", "aleago"))
    for _ in range(24):
        for pair in pairs_of(players, met, rng):
            met[pair.black, pair.white, pair.spec] += 1
    assert sum(met.values()) == 48
    assert all(
        met[one, other, spec] == 2 for one in "abcd" for other in "abcd" if one != other for spec in players["a"]
    )


def test_players_without_a_common_game_wait() -> None:
    found = pairs_of({"a": ("go",), "b": ("aleago",), "c": ()}, Counter(), random.Random(1))
    assert found == []
    found = pairs_of(
        {"a": ("go",), "b": ("aleago", "go"), "c": ("aleago",)}, Counter({("a", "b", "go"): 1}), random.Random(1)
    )
    assert [{pair.black, pair.white} for pair in found] == [{"b", "c"}]


def test_passwords_are_kept_as_salted_hashes() -> None:
    kept = hash_password("tulips")
    assert hash_password("tulips") != kept
    assert fits(kept, "tulips")
    assert not fits(kept, "Tulips")
    assert "tulips" not in kept
    # As it is written, so that another cost later leaves old accounts as they are.
    cheap = hashlib.scrypt(b"tulips", salt=b"salt", n=16, r=8, p=1).hex()
    assert fits(f"scrypt 16 8 1 {b'salt'.hex()} {cheap}", "tulips")


@pytest.mark.parametrize("name", ["", "ab", "1abc", "a" * 19, "a b c", "abc\x00", "ábc"])
def test_names_that_nobody_may_have(name: str) -> None:
    with pytest.raises(Refused, match="user name"):
        check_name(name)


@pytest.mark.parametrize("password", ["", "short", "a" * 65, "with blank", "é" * 6, "ALPHA.7"])
def test_passwords_that_nobody_may_have(password: str) -> None:
    with pytest.raises(Refused, match="password"):
        check_password("alpha.7", password)
