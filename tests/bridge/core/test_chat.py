"""The words of the chat: those of each role beside those that every game knows, in both languages."""

import pytest

from gtp_variants.bridge.core import chat
from gtp_variants.bridge.core.chat import Commands, command_of, move_of


@pytest.mark.parametrize(
    ("text", "more", "found"),
    [
        ("!règles", None, ("rules", "fr")),
        ("!regles please", None, ("rules", "fr")),
        ("!Level?", None, ("level", "en")),
        ("!stop", None, ("stop", None)),
        ("!oui", None, ("yes", "fr")),
        ("!bye", None, None),
        ("!bye", chat.TO_REFEREE, ("bye", None)),
        ("!black", chat.AT_BOARD, ("black", "en")),
        ("!black", chat.TO_REFEREE, None),
        ("!adieu", chat.IN_PRIVATE, ("bye", "fr")),
        ("!bot", chat.IN_PRIVATE, ("bot", None)),
        ("help", None, None),
    ],
)
def test_a_word_means_a_command_where_its_role_knows_it(
    text: str, more: Commands | None, found: tuple[str, str | None] | None
) -> None:
    assert command_of(text, more) == found


def test_no_role_gives_a_common_word_another_meaning() -> None:
    for role in (chat.TO_REFEREE, chat.AT_BOARD, chat.IN_PRIVATE):
        assert not role.keys() & chat._EVERYWHERE.keys()


def test_moves_are_typed_in_both_languages_or_as_vertices() -> None:
    assert [move_of(text) for text in ("D4", "Passe.", "abandon", "undo!", "!pass")] == [
        "d4",
        "pass",
        "resign",
        "undo",
        None,
    ]
