"""The doctor's findings on simulated computers with one fault each, and on this computer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.base.installation import clone_folder
from gtp_variants.cli.play.doctor import Finding, Patient, examine, main
from gtp_variants.errors import NotationError
from gtp_variants.gtp.hosts import Computer, Done

ANSWERS = b"=1 2\n\n=2 GTP Variants\n\n=3 true\n\n=4 \n\n"


def run_well(command: Sequence[str], sent: bytes, folder: Path | None, timeout_s: float) -> Done:
    if "-version" in command:
        return Done(0, b"", b'openjdk version "21"\nmore\n')
    return Done(0, ANSWERS, b"gtp-variants 1: native search\n")


def well(tmp_path: Path, **ill: Any) -> Patient:
    """A computer on which all is well, but for what is said."""
    computer = Computer(
        platform=ill.pop("platform", "linux"),
        environment=ill.pop("environment", {}),
        home=tmp_path,
        python="/venv/bin/python",
        version=ill.pop("version", (3, 12, 1)),
        find=ill.pop("find", lambda name: f"/usr/bin/{name}"),
        is_there=ill.pop("is_there", lambda place: True),
        run=ill.pop("run", run_well),
    )
    healthy: dict[str, Any] = {
        "encoding": "utf-8",
        "import_kernel": lambda: None,
        "find_hidden_kernel": lambda: None,
        "state_folder": lambda: tmp_path / "state",
        "clock": lambda: 0.0,
        "wall_kind": lambda: "bubblewrap",
    }
    return Patient(computer, **{**healthy, **ill})


def found(patient: Patient, about: str) -> Finding:
    """Return the doctor's finding on one subject."""
    return next(finding for finding in examine(patient) if finding.text.startswith(about))


def test_on_a_healthy_computer_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], well(tmp_path)) == 0
    text = capsys.readouterr().out
    lines = text.split("\n")[1:-2]
    # Whether there are networks is a fact of the package and the processor, not of a healthy computer.
    networks = [line for line in lines if "networks: " in line]
    assert len(networks) == 1
    assert [line[:6] for line in lines if line not in networks] == ["ok    "] * 10
    assert text.endswith("Nothing is wrong.\n")


def test_it_speaks_the_readers_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", "fr"], well(tmp_path)) == 0
    told = capsys.readouterr().out
    assert told.startswith("gtp-variants ")
    assert "ok    moteur\u00a0: démarre et répond en 0 s\u00a0: " in told
    assert told.endswith("Tout va bien.\n")
    ill = well(tmp_path, version=(3, 10, 4), find=missing("gogui", "GoGui", *VOICES), import_kernel=no_kernel, **NOBODY)
    assert main(["--lang", "fr"], ill) == 1
    told = capsys.readouterr().out
    assert "PANNE Python 3.10.4\u00a0: trop ancien, installez 3.11 ou plus récent\n" in told
    assert (
        "note  recherche\u00a0: Python seul, lent, parce qu'il n'y a pas de noyau (No module named '_kernel')" in told
    )
    assert "note  GoGui\u00a0: est introuvable dans le PATH" in told
    assert "note  voix\u00a0: ce système n'a pas de commande vocale\u00a0; il en faut une parmi\u00a0: say, " in told
    assert told.endswith("Quelque chose ne va pas\u00a0: voir plus haut.\n")
    assert not {"the", "not", "found", "for", "is"} & set(told.split())


def missing(*names: str) -> Callable[[str], str | None]:
    return lambda name: None if name in names else f"/usr/bin/{name}"


def no_kernel() -> None:
    raise ImportError("No module named '_kernel'")


def no_folder() -> Path:
    raise NotationError("no home")


def done(status: int | None, said: bytes = b"", complained: bytes = b"") -> Callable[..., Done]:
    return lambda command, *more: run_well(command, *more) if "-version" in command else Done(status, said, complained)


NOBODY = {"is_there": lambda place: False}
VOICES = ("say", "spd-say", "espeak-ng", "espeak", "powershell", "pwsh")


@pytest.mark.parametrize(
    ("ill", "about", "kind", "says"),
    [
        ({"version": (3, 10, 4)}, "Python", "wrong", "3.10.4: too old, install 3.11 or newer"),
        ({"import_kernel": no_kernel}, "search", "note", "No module named '_kernel'); install a C++20 compiler"),
        ({"environment": {"GTP_VARIANTS_FORM": "python"}}, "search", "note", "GTP_VARIANTS_FORM=python is set"),
        ({"environment": {"GTP_VARIANTS_FORM": "fast"}}, "search", "wrong", "expected native or python"),
        (
            {"environment": {"GTP_VARIANTS_FORM": "native"}, "import_kernel": no_kernel},
            "search",
            "wrong",
            "the compiled kernel is missing",
        ),
        ({"encoding": "cp1252"}, "encoding", "note", "cp1252 cannot show every letter; set PYTHONUTF8=1"),
        ({"state_folder": no_folder}, "state", "wrong", "no home"),
        ({"run": done(None, b"", b"No such file")}, "engine", "wrong", "does not run: No such file"),
        ({"run": done(None)}, "engine", "wrong", "no answer in 60 s"),
        ({"run": done(1, b"", b"Traceback\nNo module named gtp_variants\n")}, "engine", "wrong", "No module named"),
        ({"run": done(0, b"hello\n" + ANSWERS)}, "engine", "wrong", "does not answer over a pipe"),
        ({"run": done(0, ANSWERS.replace(b"\n", b"\r\n"))}, "engine", "ok", "answers in"),
        ({"find": missing("java")}, "Java", "note", "not found; GoGui needs it"),
        ({"run": lambda *asked: Done(1, b"", b"broken")}, "Java", "wrong", "does not run: broken"),
        ({"find": missing("gogui", "GoGui"), **NOBODY}, "GoGui", "note", "was found neither on the PATH"),
        ({"environment": {"GOGUI": "/x"}, **NOBODY}, "GoGui", "wrong", "which does not exist"),
        ({"find": missing("sabaki", "Sabaki"), **NOBODY}, "Sabaki", "note", "found neither"),
        ({"find": missing(*VOICES)}, "speech", "note", "no speech command; install one of: say,"),
    ],
)
def test_each_fault_has_its_own_diagnosis(
    tmp_path: Path, ill: dict[str, Any], about: str, kind: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = well(tmp_path, **ill)
    finding = found(patient, about)
    assert (finding.kind, says in finding.text) == (kind, True), finding
    assert main([], patient) == (1 if kind == "wrong" else 0)
    assert finding.text in capsys.readouterr().out


def test_a_state_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    finding = found(well(tmp_path, state_folder=lambda: tmp_path / "file" / "state"), "state")
    assert finding.kind == "wrong"


HIDDEN = Path("/venv/lib/gtp_variants/ai/kernel/_kernel.so")


@pytest.mark.parametrize(("form", "kind"), [("", "note"), ("native", "wrong")])
def test_a_clone_that_hides_the_installed_kernel(tmp_path: Path, form: str, kind: str) -> None:
    """No compiler is missing there: whoever installed one more would see the same again."""
    environment = {"GTP_VARIANTS_FORM": form}
    ill = {"environment": environment, "import_kernel": no_kernel, "find_hidden_kernel": lambda: HIDDEN}
    finding = found(well(tmp_path, **ill), "search")
    assert finding.kind == kind
    assert f"hides the installed one ({HIDDEN}); start Python in another folder, or install" in finding.text
    assert f"install -e {'.' if Path.cwd() == clone_folder() else clone_folder()}" in finding.text
    assert "compiler" not in finding.text


def test_a_slow_engine(tmp_path: Path) -> None:
    times = iter((0.0, 3.5))
    finding = found(well(tmp_path, clock=lambda: next(times)), "engine")
    assert (finding.kind, "after 3.5 s" in finding.text) == ("note", True)


def test_on_this_computer_the_engine_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3]))
    finding = found(Patient(), "engine")
    assert finding.kind in ("ok", "note"), finding


def test_it_says_when_there_is_no_wall_around_other_peoples_programs(tmp_path: Path) -> None:
    finding = found(well(tmp_path, wall_kind=lambda: "none"), "wall")
    assert (finding.kind, "install bubblewrap" in finding.text) == ("note", True)
    finding = found(well(tmp_path, wall_kind=lambda: "job-object"), "wall")
    assert (finding.kind, "no wall for files" in finding.text) == ("note", True)
    assert found(well(tmp_path), "wall").text == "wall around engines and bots of other people: bubblewrap"
