"""Token buckets: bursts and long-run rates, with and without a cost of refusals."""

from gtp_variants.base.connection_gate import TokenBucket, TokenBuckets


def count_requests(bucket: TokenBucket, seconds: int, a_second: int) -> int:
    """Return how many attempts are allowed at a given rate."""
    return sum(bucket.allows(number / a_second) for number in range(seconds * a_second))


def test_many_are_allowed_at_once_and_few_in_the_long_run() -> None:
    bucket = TokenBucket(at_once=6, a_second=0.5, now_s=0)
    assert [bucket.allows(0) for _ in range(8)] == [True] * 6 + [False] * 2
    assert [bucket.allows(now_s) for now_s in (1, 2, 3, 4)] == [False, True, False, True]
    # However long nothing comes, no more than those at once are saved up.
    assert [bucket.allows(1000) for _ in range(8)] == [True] * 6 + [False] * 2


def test_refusals_do_not_use_up_the_allowance() -> None:
    assert count_requests(TokenBucket(4, 2, 0), seconds=10, a_second=1) == 10
    assert count_requests(TokenBucket(4, 2, 0), seconds=10, a_second=16) == 4 + 19


def test_counted_refusals_keep_the_allowance_at_zero() -> None:
    bucket = TokenBucket(at_once=2, a_second=0.5, now_s=0)
    assert [bucket.take(now_s) for now_s in (0, 0, 1, 2, 3)] == [True, True, False, False, False]
    assert bucket.is_empty(4)
    assert not bucket.is_empty(5)
    assert bucket.take(5)


def test_more_than_one_may_be_taken() -> None:
    bucket = TokenBucket(at_once=10, a_second=1, now_s=0)
    assert [bucket.take(0, 6), bucket.take(0, 6), bucket.take(5, 6), bucket.take(11, 6)] == [True, False, False, True]


def test_everybody_has_a_bucket_of_their_own() -> None:
    buckets = TokenBuckets(at_once=1, a_second=0.5)
    assert [buckets.allows(name, 0) for name in "abab"] == [True, True, False, False]
    assert [buckets.is_empty(name, 0) for name in "abc"] == [True, True, False]
    assert buckets.allows("a", 2)


def test_only_the_latest_users_are_remembered() -> None:
    buckets = TokenBuckets(at_once=1, a_second=0.001, most=2)
    assert [buckets.allows(name, 0) for name in "aabcb"] == [True, False, True, True, False]
    assert buckets.allows("a", 0)
