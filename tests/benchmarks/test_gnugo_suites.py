"""The benchmark of GNU Go's suites reads the files and counts the answers correctly."""

from benchmarks.strength.gnugo_suites import Line, read_suite

SUITE = """
loadsgf games/a.sgf 12
# A comment.
1 attack E3
#? [1 (S4|T5)]*

2 defend E3
3 attack F1
#? [!0]
trymove black C1  # a move
"""


def test_tests_are_read_with_what_is_expected() -> None:
    assert list(read_suite(SUITE)) == [
        Line("loadsgf games/a.sgf 12"),
        Line("attack E3", 1, "1 (S4|T5)"),
        Line("attack F1", 3, "0", is_negated=True),
        Line("trymove black C1"),
    ]


def test_answers_are_right_or_begin_right() -> None:
    _, chosen, negated, _ = read_suite(SUITE)
    assert [chosen.is_right(answer) for answer in ("1 S4", "1 T5", "1 A1", "0")] == [True, True, False, False]
    assert [chosen.is_near(answer) for answer in ("1 A1", "0", "2 S4")] == [True, False, False]
    assert [negated.is_right(answer) for answer in ("1 A1", "0")] == [True, False]
    assert Line("attack A1", 1, "(2|3) P5").is_near("3 A1")
    assert Line("dragon_status A1", 1, "critical A1 B1").is_near("critical B1 A1")
