"""benchmarks/README.md has a line for every program in its folders."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_every_benchmark_has_a_line() -> None:
    programs = {
        file.relative_to(FOLDER).with_suffix("").as_posix().removesuffix("/__main__")
        for file in FOLDER.glob("*/**/*.py")
        if file.name == "__main__.py" or not (file.parent / "__main__.py").exists()
    }
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## `(\w+)/`(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    told = [
        f"{folder}/{name}" for folder, section in sections for name in re.findall(r"^\| `(\w+)", section, re.MULTILINE)
    ]
    assert sorted(told) == sorted(programs)
