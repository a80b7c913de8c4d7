"""Transcripts in the documentation equal what people read in a real game."""

from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.kgs.transcript import all_transcripts, written

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "docs" / "chat.md", Path(__file__).with_name("transcripts.md")]


@pytest.mark.long
def test_transcripts_are_up_to_date() -> None:
    transcripts = all_transcripts()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert written(text, transcripts) == text, f"update it: python -m tests.bridge.kgs.transcript {page}"
    told = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert all(f"<!-- transcript {name} -->" in told for name in transcripts)
