"""Who plays which game, and what becomes of it when they vanish."""

import pytest

from gtp_variants.arena.remote.leases import LeaseBook
from gtp_variants.arena.schedule import Fixture
from tests.arena.remote.lending import fixtures


class Time:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def book(time: Time) -> LeaseBook:
    return LeaseBook(time, 60)


def take_all(book: LeaseBook, word: str) -> list[Fixture]:
    machine = book.find(word)
    assert machine is not None
    taken = []
    while (lent := book.take(machine)) is not None:
        taken.append(lent[1])
    return taken


def test_each_game_is_lent_once(book: LeaseBook) -> None:
    first, second, *_ = fixtures()
    book.put(first)
    book.put(second)
    one, other = book.add_machine("one"), book.add_machine("other")
    assert take_all(book, one) == [first, second]
    assert take_all(book, other) == []
    assert not book.is_idle
    assert book.find("nobody") is None


def test_who_is_silent_for_too_long_loses_its_games_and_nobody_else(book: LeaseBook, time: Time) -> None:
    first, second, third, *_ = fixtures()
    book.put(first)
    book.put(second)
    silent, awake = book.add_machine("silent"), book.add_machine("awake")
    assert take_all(book, silent) == [first, second]
    time.now_s = 50
    book.put(third)
    assert take_all(book, awake) == [third]
    assert list(book.expire()) == []
    time.now_s = 61
    assert list(book.expire()) == [("silent", 2)]
    assert book.find(silent) is None
    assert [each.id for each in take_all(book, awake)] == [first.id, second.id]
    time.now_s = 111
    assert book.find(awake) is not None
    time.now_s = 170
    assert list(book.expire()) == []


def test_a_game_begins_again_as_it_was_or_with_other_dice(book: LeaseBook) -> None:
    """With a seed of the user's it is the same game; without one somebody has seen its dice."""
    seeded, fresh = fixtures()[0], fixtures(seed="")[0]
    book.put(seeded)
    book.put(fresh)
    word = book.add_machine("a")
    take_all(book, word)
    assert book.remove(word, "it lied") == 2
    assert book.reason(word) == "it lied"
    again = take_all(book, book.add_machine("b"))
    assert again[0] == seeded
    assert again[1].secret != fresh.secret
    assert again[1].attempt == 2
