"""Mutation testing of this project: which faults are put into a module, and that the module is as before afterwards."""

from pathlib import Path

import pytest

from benchmarks.correctness.mutation import mutations, survives

SOURCE = '''\
"""A docstring with 1 number."""


def older(age: int = 7, *, strict: bool = True) -> str:
    if not strict and 18 <= age < 99:
        return f"{age + 1} is é " + "more"
    return ""
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "module.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


def test_every_kind_of_fault(module: Path) -> None:
    assert [(each.line, each.old, each.new) for each in mutations(module)] == [
        (4, "True", "(False)"),
        (4, "7", "(8)"),
        (5, "not strict and 18 <= age < 99", "(not strict or 18 <= age < 99)"),
        (5, "not strict", "(strict)"),
        (5, "18 <= age < 99", "(18 < age < 99)"),
        (5, "18", "(19)"),
        (5, "99", "(100)"),
        (6, 'return f"{age + 1} is é " + "more"', "return None"),
        (6, 'f"{age + 1} is é " + "more"', "(f'{age + 1} is é ' - 'more')"),
        (7, 'return ""', "return None"),
    ]


@pytest.mark.long
def test_a_fault_is_found_or_survives_and_the_file_is_as_it_was(module: Path) -> None:
    test = module.with_name("test_module.py")
    test.write_text("from module import older\n\n\ndef test_it():\n    assert not older(18)\n", encoding="utf-8")
    (module.with_name("pytest.ini")).write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    faults = {each.old: each for each in mutations(module)}
    assert survives(faults["99"], [str(test)], 60)
    assert not survives(faults["not strict"], [str(test)], 60)
    assert module.read_text(encoding="utf-8") == SOURCE
