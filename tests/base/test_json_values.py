"""JSON from strangers: no number or text in it can do harm."""

import pytest

from gtp_variants.base.json_values import parse_json, parse_object


@pytest.mark.parametrize(
    "word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e18", "9" * 19, "9" * 5000, "1" + "0" * 400]
)
def test_numbers_beyond_json_are_read_as_none(word: str) -> None:
    assert parse_json(f'{{"size": {word}, "komi": 6.5, "moves": [1, {word}]}}') == {
        "size": None,
        "komi": 6.5,
        "moves": [1, None],
    }


def test_other_numbers_and_texts_are_as_they_were_sent() -> None:
    assert parse_json(b'[1795423270123, -0.25, true, null, "\\ud83d\\ude00 \xc3\xa9"]') == [
        *(1795423270123, -0.25, True, None, "😀 é")
    ]


def test_half_a_surrogate_pair_becomes_a_question_mark_wherever_it_stands() -> None:
    assert parse_json('{"a\\ud800": ["\\udfffx", {"b": "\\uD801\\u0041"}]}') == {"a?": ["?x", {"b": "?A"}]}


@pytest.mark.parametrize("text", ["", "{", "[1, 2", "nothing", "[" * 100_000, b"\xff\xfe", '{"a": 1} 2'])
def test_anything_else_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


def test_an_object_may_be_all_that_is_expected() -> None:
    assert parse_object('{"a": 1e999}') == {"a": None}
    for text in ("[]", "null", '"a"'):
        with pytest.raises(ValueError, match="expected an object"):
            parse_object(text)
