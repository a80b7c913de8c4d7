"""The page about the encoder is what the tables say, and its example runs."""

import importlib.util
import re
from pathlib import Path

import pytest

WRITER = Path(__file__).resolve().parents[3] / "docs" / "write_encoder.py"

pytestmark = pytest.mark.skipif(not WRITER.exists(), reason="the documentation is only in a checkout")


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("write_encoder", WRITER)
    assert spec is not None
    assert spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert writer.PAGE.read_text(encoding="utf-8") == writer.write(), "write it anew: python docs/write_encoder.py"


def test_its_example_runs() -> None:
    page = (WRITER.parent / "encoder.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, "docs/encoder.md", "exec"), {})
