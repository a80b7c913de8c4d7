"""Lines that are typed while the session is still busy: which of them wait."""

from pathlib import Path

import pytest

from tests.terminal.session_lines import playing, put_away

pytest.importorskip("prompt_toolkit")
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from gtp_variants.terminal.fullscreen.client import FullscreenClient
from gtp_variants.terminal.fullscreen.themes import PLAIN
from gtp_variants.terminal.games.scene import scene_of


def test_enter_waits_at_a_fallen_curtain_and_nothing_else_waits_in_a_hidden_game(tmp_path: Path) -> None:
    session = playing(tmp_path, "phantom:size=5")
    with create_app_session(input=DummyInput(), output=DummyOutput()):
        client = FullscreenClient(session, False, PLAIN)
        client._model.begin_answer()
        client._send("C3")
        assert client._waiting == []
        client._send("")
        assert client._waiting == [""]
        client._waiting.clear()
        list(session.answer(""))
        client._model.update(scene_of(session))
        client._send("")
        assert client._waiting == []
    put_away()
