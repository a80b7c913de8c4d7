"""The settings that `gui --for HOST` prints and writes, read as each host reads its own."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from gtp_variants.base.json_values import Json
from gtp_variants.cli.play.gui import main
from gtp_variants.gtp.hosts import HOSTS, Computer

PROGRAM = "/home/ann/go games/.venv/bin/gtp-variants"
PYTHON = "/home/ann/go games/.venv/bin/python"


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def at_home(home: Path, platform: str = "linux", program: str = PROGRAM) -> Computer:
    """A computer where `program` is the only one."""
    return Computer(
        platform=platform,
        environment={},
        home=home,
        python=PYTHON,
        find=lambda name: None,
        is_there=lambda place: place.as_posix() == program,
    )


def settings_of(name: str, home: Path, text: str) -> Path:
    """Write a host's settings file at its usual place."""
    file = HOSTS[name].settings_file(at_home(home)) or home / "lizzie" / "config.txt"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


# -- how hosts read a command ------------------------------------------------------------------------------------------


def split_by_lizzieyzy(command: str) -> list[str]:
    """Take a command apart as LizzieYzy does: single and double quotes toggle, nothing escapes."""
    return ["".join(parts) for parts in re.findall(r"'([^']*)'|\"([^\"]*)\"|([^\s'\"]+)", command)]


def read_sabaki(file: Path) -> list[str]:
    found = json.loads(file.read_text(encoding="utf-8"))["engines.list"][-1]
    assert set(found) == {"name", "path", "args", "commands"}
    return [found["path"], *shlex.split(found["args"])]


def read_katrain(file: Path) -> list[str]:
    engine = json.loads(file.read_text(encoding="utf-8"))["engine"]
    assert engine["backend"] == "custom"
    return shlex.split(engine["altcommand"])


def read_lizzieyzy(file: Path) -> list[str]:
    found = json.loads(file.read_text(encoding="utf-8"))["leelaz"]["engine-settings-list"][-1]
    assert (found["width"], found["height"], found["komi"]) == (9, 9, 6.5)
    return split_by_lizzieyzy(found["command"])


def read_ogatak(file: Path) -> list[str]:
    found = json.loads(file.read_text(encoding="utf-8"))
    assert Path(found["engineconfig"]).is_file()
    assert Path(found["weights"]).is_file()
    return [found["engine"]]


def read_q5go(file: Path) -> list[str]:
    values = {
        line[: line.index(" ")]: line[line.index("[") + 1 : line.rindex("]")]
        for line in file.read_text(encoding="utf-8").splitlines()
        if len(line) > 2
    }
    number = max(int(key[6:-1]) for key in values if key.startswith("ENGINE"))
    komi, analyses, size = (values[f"ENGINE{number}{key}"] for key in "def")
    assert (komi, analyses, size) == ("6.5", "1", "9")
    return [values[f"ENGINE{number}b"], *values[f"ENGINE{number}c"].split()]


SPEC = "go:size=9,komi=6.5"
KEPT = {"naïve": "é 碁", "n": 7.5, "none": None, "long": 12345678901234567890}
JSON_HOSTS: dict[str, tuple[Json, Callable[[Path], list[str]], list[str]]] = {
    "sabaki": ({**KEPT, "engines.list": [{"name": "GNU Go", "path": "/g"}]}, read_sabaki, ["gtp", SPEC]),
    "katrain": ({"general": KEPT, "engine": {"model": "m", "altcommand": ""}}, read_katrain, ["analysis"]),
    "lizzieyzy": (
        {"ui": KEPT, "leelaz": {"n": 1, "engine-settings-list": [{"name": "KataGo", "command": "k"}]}},
        read_lizzieyzy,
        ["gtp", SPEC, "--as", "katago"],
    ),
    "ogatak": ({**KEPT, "engine": "", "language": "Français"}, read_ogatak, []),
}


@pytest.mark.parametrize("name", JSON_HOSTS)
def test_the_engine_is_added_and_everything_else_is_kept(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, read, words = JSON_HOSTS[name]
    before = json.dumps(settings, indent="\t")
    file = settings_of(name, tmp_path, before)
    file.chmod(0o600)
    wanted = ["--write", str(file)] if name == "lizzieyzy" else ["--write"]
    for number in (1, 2):
        assert main([SPEC, "--for", name, *wanted], at_home(tmp_path)) == 0
        backup = file.with_name(f"{file.name}.{number}.bak")
        assert str(file) in (told := capsys.readouterr().out)
        assert str(backup) in told
        assert read(file) == [PROGRAM, *words]
    assert file.with_name(f"{file.name}.1.bak").read_text(encoding="utf-8") == before
    assert file.stat().st_mode & 0o777 == 0o600
    after = json.loads(file.read_text(encoding="utf-8"))
    assert others(name, after) == others(name, settings)
    if name == "lizzieyzy":
        assert [each["name"] for each in after["leelaz"]["engine-settings-list"]] == ["KataGo", f"gtp-variants {SPEC}"]


def others(name: str, settings: Json) -> Json:
    """Return settings without what is ours."""
    *keys, last = ("top", *HOSTS[name].place)
    copied: Json = json.loads(json.dumps({"top": settings}))
    place = copied
    for key in keys:
        place = place[key]
    if isinstance(place[last], list):
        place[last] = [each for each in place[last] if not each["name"].startswith("gtp-variants")]
    else:
        place[last] = {key: value for key, value in place[last].items() if key not in HOSTS[name].entry}
    return copied


@pytest.mark.parametrize(
    ("name", "split"),
    [("lizzieyzy", split_by_lizzieyzy), ("katrain", shlex.split), ("sabaki", shlex.split), ("q5go", str.split)],
)
def test_odd_letters_reach_the_engine(name: str, split: Callable[[str], list[str]]) -> None:
    words = ["gtp", "it's", "~ann/(go)$", r"C:\go", "a;b"]
    words += [] if name == "q5go" else ["go games", "two  blanks", "x y's"]
    assert split(HOSTS[name].quote(words, "linux")) == words


def test_q5go_has_one_more_engine(tmp_path: Path) -> None:
    before = "SKIN [wood] [x]\nENGINE1a [GNU Go]\nENGINE1b [/g]\nVERSION [7]\n"
    file = settings_of("q5go", tmp_path, before)
    for _ in range(2):
        assert main([SPEC, "--for", "q5go", "--write"], at_home(tmp_path)) == 0
        assert read_q5go(file) == [PROGRAM, "gtp", SPEC]
        assert file.read_text(encoding="utf-8").startswith(before)
        assert file.read_text(encoding="utf-8").count("ENGINE2a [") == 1
    assert file.with_name("q5gorc.1.bak").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("text", ["{", "[]", '{"engines.list": 3}', '{"engines.list": [1]}', "[" * 100_000])
def test_settings_that_cannot_be_read_stay(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = settings_of("sabaki", tmp_path, text)
    assert main(["--for", "sabaki", "--write"], at_home(tmp_path)) == 2
    assert "expected settings of Sabaki as a JSON object" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == text
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--for", "sabaki", "--write"], ".config/Sabaki/settings.json: no such file; start Sabaki once"),
        (["--for", "lizzieyzy", "--write"], "expected the path of LizzieYzy's settings file"),
        (["--for", "gogui", "--write"], "not possible with GoGui, which has no settings file"),
        (["--write"], "--write: requires --for HOST"),
        (["--for", "katrain", "--run"], "--run: works only with GoGui"),
        (["aleago", "--for", "ogatak"], "Ogatak draws boards of ordinary Go only, not of Aléago"),
        (["--for", "katrain", "--level", "3"], "KaTrain sets the engine's strength itself"),
        (["rosette", "--for", "sabaki", "--write"], "Sabaki cannot play Rosette, but it shows saved games"),
        (["--for", "q5go", "--seed", "x"], "q5Go cannot pass on words with blanks"),
    ],
)
def test_what_cannot_be_is_said(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a state"))
    assert main([*arguments, "--lang", "en"], at_home(tmp_path)) == 2
    assert says in capsys.readouterr().err


def test_ogatak_needs_a_program_of_one_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = at_home(tmp_path, program="")
    assert main(["--for", "ogatak"], nothing) == 2
    assert f"not `'{PYTHON}' -m gtp_variants`" in capsys.readouterr().err
    assert main(["--for", "katrain"], nothing) == 0
    assert f"'{PYTHON}' -m gtp_variants analysis\n" in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("name", HOSTS)
def test_every_host_is_explained_in_both_languages(
    name: str, lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--for", name, "--lang", lang], at_home(tmp_path)) == 0
    told = capsys.readouterr().out
    assert f"{HOSTS[name].title} ({HOSTS[name].page})\n" in told
    assert "{" not in re.sub(r"\n    \{\n.*\n    \}\n", "", told, flags=re.DOTALL)
    assert ("Aléago" in told) == (not HOSTS[name].plays_go_only)
    assert ("--lang fr" in told) == (lang == "fr" and name not in ("katrain", "ogatak"))


@pytest.mark.parametrize(
    ("platform", "name", "place"),
    [
        ("linux", "sabaki", ".config/Sabaki/settings.json"),
        ("darwin", "ogatak", "Library/Application Support/Ogatak/config.json"),
        ("win32", "sabaki", "AppData/Roaming/Sabaki/settings.json"),
        ("win32", "katrain", ".katrain/config.json"),
        ("darwin", "q5go", None),
        ("linux", "lizzieyzy", None),
    ],
)
def test_settings_lie_where_the_host_keeps_them(platform: str, name: str, place: str | None, tmp_path: Path) -> None:
    found = HOSTS[name].settings_file(at_home(tmp_path, platform))
    assert found == (None if place is None else tmp_path / place)
