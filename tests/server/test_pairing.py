"""Who plays whom, and the ratings that come of it."""

import random
from collections import Counter

import pytest

from gtp_variants.errors import Refused
from gtp_variants.server.accounts import Account, check_name, check_password, fits, hashed, rated
from gtp_variants.server.pairing import Met, pairs


def test_everybody_meets_everybody_in_every_game_with_both_colours() -> None:
    met: Met = Counter()
    rng = random.Random(1)
    players = dict.fromkeys("abcd", ("go", "aleago"))
    for _ in range(24):
        for pair in pairs(players, met, rng):
            met[pair.black, pair.white, pair.spec] += 1
    assert sum(met.values()) == 48
    assert all(
        met[one, other, spec] == 2 for one in "abcd" for other in "abcd" if one != other for spec in players["a"]
    )


def test_who_shares_no_game_waits() -> None:
    found = pairs({"a": ("go",), "b": ("aleago",), "c": ()}, Counter(), random.Random(1))
    assert found == []
    found = pairs(
        {"a": ("go",), "b": ("aleago", "go"), "c": ("aleago",)}, Counter({("a", "b", "go"): 1}), random.Random(1)
    )
    assert [{pair.black, pair.white} for pair in found] == [{"b", "c"}]


def test_passwords_are_kept_as_salted_hashes() -> None:
    salt, key = hashed("tulip")
    assert hashed("tulip")[0] != salt
    account = Account("alpha", salt, key)
    assert fits(account, "tulip")
    assert not fits(account, "Tulip")
    assert b"tulip" not in salt + key


@pytest.mark.parametrize("name", ["", "ab", "1abc", "a" * 19, "a b c", "abc\x00", "ábc"])
def test_names_that_nobody_may_have(name: str) -> None:
    with pytest.raises(Refused, match="user name"):
        check_name(name)


@pytest.mark.parametrize("password", ["", "ab", "a" * 65, "with blank", "é" * 5])
def test_passwords_that_nobody_may_have(password: str) -> None:
    with pytest.raises(Refused, match="password"):
        check_password(password)


def test_a_win_moves_new_ratings_more_and_nothing_is_made_of_nothing() -> None:
    new, old = Account("a", b"", b"", 1500, 0), Account("b", b"", b"", 1500, 100)
    assert rated(new, old, 1) == (1524, 1492)
    assert rated(old, old, 0.5) == (1500, 1500)
    assert new.shown == "1500?"
    assert old.shown == "1500"
