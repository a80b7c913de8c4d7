"""The publisher's side of the connection, with a server that sends unexpected answers."""

import json

import pytest

from gtp_variants.players.publisher import _why


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "no room"}', "no room"),
        (b"Bad Gateway\r\n", "Bad Gateway"),
        (json.dumps({"error": "\x1b]0;title\x07\nline"}).encode(), "]0;title  line"),
        (b"[]", "[]"),
        (b"\xff\x00", "\ufffd"),
    ],
)
def test_a_servers_message_becomes_one_printable_line(body: bytes, said: str) -> None:
    assert _why(body) == said


def test_an_answer_of_brackets_ends_no_thread() -> None:
    assert _why(b"[" * 2000).startswith("[[[")
    assert len(_why(b"[" * 2000)) <= 200
