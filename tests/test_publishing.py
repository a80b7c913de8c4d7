"""Published files: metadata, well-formed workflows and forms, and one version everywhere."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from gtp_variants._version import __version__

ROOT = Path(__file__).resolve().parent.parent
GITHUB = ROOT / ".github"

pytestmark = pytest.mark.skipif(not GITHUB.is_dir(), reason="only in a checkout")


def project() -> dict[str, object]:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(found, dict)
    return found


def test_the_metadata_say_who_it_is_for_and_on_what_it_runs() -> None:
    about = project()
    classifiers = about["classifiers"]
    assert isinstance(classifiers, list)
    assert len(set(classifiers)) == len(classifiers)
    assert "Typing :: Typed" in classifiers
    assert (ROOT / "gtp_variants" / "py.typed").exists()
    assert len(str(about["description"])) < 512
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]["build"]
    for python in re.findall(r"cp3(\d+)", built):
        assert f"Programming Language :: Python :: 3.{python}" in classifiers


@pytest.mark.parametrize("file", sorted(GITHUB.rglob("*.yml")), ids=lambda file: str(file.name))
def test_workflows_and_forms_are_well_formed(file: Path) -> None:
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    if file.parent.name == "workflows":
        # YAML 1.1 reads `on` as true.
        assert {"name", True, "jobs"} <= set(found)
        assert found["permissions"] == {"contents": "read"}
        for job in found["jobs"].values():
            needed = job.get("needs", [])
            assert set([needed] if isinstance(needed, str) else needed) <= set(found["jobs"])
    elif file.name != "config.yml":
        assert {"name", "description", "body"} <= set(found)
        ids = [part["id"] for part in found["body"] if "id" in part]
        assert len(set(ids)) == len(ids)


def test_a_person_starts_a_release_and_nothing_else_does() -> None:
    release = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert set(release[True]) == {"workflow_dispatch"}
    assert release["jobs"]["publish"]["environment"] == "release"
    version = (ROOT / "gtp_variants" / "_version.py").read_text(encoding="utf-8")
    assert re.search(r'^__version__ = "[0-9.]+"$', version, re.MULTILINE), "the workflow looks for this line"


def test_the_citation_is_that_of_this_project() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"].startswith(str(project()["name"]))
    assert citation["license"] == project()["license"]
    assert {"message", "authors", "type"} <= set(citation)
    assert citation["version"] == __version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{__version__}] - {citation['date-released']}\n" in changelog


def test_the_debian_package_is_that_of_this_version() -> None:
    changelog = (ROOT / "debian" / "changelog").read_text(encoding="utf-8")
    assert changelog.startswith(f"gtp-variants ({__version__}-1) ")
    licence = " ".join((ROOT / "LICENSE").read_text(encoding="utf-8").split())
    copied = " ".join((ROOT / "debian" / "copyright").read_text(encoding="utf-8").replace("\n .\n", "\n").split())
    assert licence.partition("authors ")[2] in copied


def test_the_debian_package_is_built_with_what_a_wheel_is_built_with() -> None:
    built_with = (ROOT / "debian" / "control").read_text(encoding="utf-8").partition("\nPackage:")[0]
    system = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    names = {re.split("[<>=]", requirement)[0].removeprefix("py") for requirement in system["requires"]}
    assert names == {"jinja2", "nanobind", "rich", "scikit-build-core", "yaml"}
    assert all(re.search(rf"^ (python3-)?{name}(-dev)?,$", built_with, re.MULTILINE) for name in names)
    assert (ROOT / system["backend-path"][0] / f"{system['build-backend']}.py").is_file()
