"""The notebooks in examples/: each runs from its first cell to its last, and is kept without outputs."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.ipynb"))
# A whole one takes less than a minute; this is for a cell on a machine that is busy with others.
_MOST_S = 600


def of_notebooks(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=of_notebooks)
def test_a_notebook_is_kept_without_outputs_and_begins_with_its_title(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert "".join(cells[0]["source"]).startswith("# ")
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
    # Prose and code take turns.
    assert sum(cell["cell_type"] == "markdown" for cell in cells) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=of_notebooks)
@pytest.mark.filterwarnings("default")  # of programs of Jupyter's
def test_a_notebook_runs_and_shows_pictures(path: Path, tmp_path: Path) -> None:
    missing = "the extra `notebooks` is not installed"
    nbformat, nbclient = (pytest.importorskip(name, reason=missing) for name in ("nbformat", "nbclient"))
    pytest.importorskip("matplotlib", reason=missing)
    book = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=_MOST_S, kernel_name="python3", resources=resources).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", ()) if "data" in output]
    assert any({"image/png", "image/svg+xml", "text/html"} & set(output["data"]) for output in shown)
