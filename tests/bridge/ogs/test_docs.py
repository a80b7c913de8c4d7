"""Golden transcripts equal what people read in a real game on OGS."""

from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="OGS needs httpx: pip install 'gtp-variants[ogs]'")
pytest.importorskip("websockets", reason="OGS needs websockets: pip install 'gtp-variants[ogs]'")
pytest.importorskip("starlette", reason="the local OGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.kgs.transcript import written
from tests.bridge.ogs.transcript import all_transcripts

PAGE = Path(__file__).with_name("transcripts.md")


@pytest.mark.slow
def test_transcripts_are_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = written(text, all_transcripts())
    assert found == text, f"update it: python -m tests.bridge.ogs.transcript {PAGE}"
    assert found.count("sha256") == 2
