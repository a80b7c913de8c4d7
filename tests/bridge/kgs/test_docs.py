"""The transcripts in the documentation are what people read in a real game."""

from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
pytest.importorskip("starlette", reason="the local KGS needs starlette and uvicorn: pip install 'gtp-variants[web]'")

from tests.bridge.kgs.transcript import all_transcripts, written

PAGE = Path(__file__).resolve().parents[3] / "docs" / "kgs.md"


@pytest.mark.slow
def test_the_transcripts_are_up_to_date() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = written(text, all_transcripts())
    assert found == text, "write them anew: python -m tests.bridge.kgs.transcript docs/kgs.md"
    assert found.count("sha256") == 2
