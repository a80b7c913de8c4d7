"""The bots and configs are found in every way of installing, and nothing of ours lands beside the package."""

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from distribution.shared_files import shared_files

ROOT = Path(__file__).resolve().parent.parent
# Ends of the names of files that the package reads.
DATA = {".html", ".jsonl", ".sb", ".sql", ".toml"}

pytestmark = [
    pytest.mark.slow,
    # What is built is built once.
    pytest.mark.xdist_group("builds"),
    pytest.mark.skipif(not (ROOT / "gtp_variants").is_dir(), reason="no sources beside the tests"),
]

LOAD_ALL = """
import importlib, pkgutil, sys
from pathlib import Path
import gtp_variants.bots, gtp_variants.configs

bots = sorted(module.name for module in pkgutil.iter_modules(gtp_variants.bots.__path__))
for bot in bots:
    importlib.import_module(f"gtp_variants.bots.{bot}")
for name in gtp_variants.configs.names():
    assert gtp_variants.configs.path(name).read_text(encoding="utf-8"), name
assert gtp_variants.configs.template_bot().is_file()
assert bots == sys.argv[1].split(), bots
assert gtp_variants.configs.names() == sys.argv[2].split(), gtp_variants.configs.names()
print(Path(gtp_variants.bots.__file__).resolve())
"""

ASK = """
import gtp_variants as gv
from gtp_variants.ai.backend import load_native, search_backend

assert (search_backend() == "native") == (load_native("gtp_variants.ai.belief._belief") is not None)
rules = gv.parse("go:size=3")
assert sum(gv.playouts(rules, rules.start(), 4)) == 1
print(search_backend(), gv.__file__)
"""


def run(command: Sequence[str | Path], where: Path, **environment: str) -> str:
    """Standard output of a command that must succeed, run in a folder that holds nothing of ours."""
    ours = {"PYTHONPATH", "PYTHONHOME", "CXX", "GTP_VARIANTS_PURE", "GTP_VARIANTS_FORM"}
    inherited = {key: value for key, value in os.environ.items() if key not in ours}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=where,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Environment:
    """A fresh virtual environment, with an empty folder to run in."""

    def __init__(self, folder: Path) -> None:
        self.empty = folder / "empty"
        self.empty.mkdir(parents=True)
        run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], folder)
        scripts, self.suffix = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
        self.scripts = folder / "venv" / scripts
        self.python = self.script("python")
        where = run([self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
        self.site_packages = Path(where.strip())

    def script(self, name: str) -> Path:
        return self.scripts / f"{name}{self.suffix}"

    @property
    def path(self) -> str:
        """The variable PATH with the commands that are installed here."""
        return os.pathsep.join((str(self.scripts), os.environ["PATH"]))

    def borrow_dependencies(self) -> None:
        """Make the third-party packages of the environment that runs the tests importable here.

        As the line of a .pth file: it comes after our own site-packages, and its .pth files, among them
        perhaps an editable install of ours, are not read.
        """
        lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (self.site_packages / "lent.pth").write_text("\n".join(sorted(lent)) + "\n", encoding="utf-8")

    def install(self, *what: str | Path, **settings: str) -> None:
        run([sys.executable, "-m", "pip", "--python", self.python, "install", "-q", *what], self.empty, **settings)

    def installed(self) -> set[str]:
        """Names at the top of site-packages."""
        return {entry.name for entry in self.site_packages.iterdir()}

    def loads_everything(self, **environment: str) -> Path:
        """Check that commands, bots and configs work here; the answer is where gtp_variants.bots lies."""
        bots = sorted(file.stem for file in (ROOT / "bots").glob("*.py"))
        configs = sorted(file.stem for file in (ROOT / "configs").glob("*.yaml"))
        assert "uniform" in bots
        assert "aleago-first" in configs
        load: list[str | Path] = [
            self.python,
            "-W",
            "error",
            "-c",
            LOAD_ALL,
            " ".join(bots),
            " ".join(configs),
        ]
        where = Path(run(load, self.empty, **environment).strip())
        assert version() in run([self.python, "-m", "gtp_variants", "--version"], self.empty, **environment)
        return where

    def has_shared_files(self) -> None:
        """Check that man pages and completions lie where `man`, bash, zsh and fish look beneath an environment."""
        for path, text in shared_files().items():
            assert (self.scripts.parent / path).read_text(encoding="utf-8") == text

    def search_backend(self, beneath: Path | None = None) -> str:
        """What `search_backend()` of the package installed here is; `beneath` is where its sources must lie."""
        backend, file = run([self.python, "-c", ASK], self.empty).split(maxsplit=1)
        assert beneath is None or Path(file.strip()).is_relative_to(beneath.resolve())
        return backend


def version() -> str:
    return str(runpy.run_path(str(ROOT / "gtp_variants" / "_version.py"))["__version__"])


@dataclass(frozen=True)
class Builds:
    """The builds of this checkout: the sdist, the wheel made from it, and a way to build again.

    `checkout` is the sdist unpacked, `environment` has what builds it. With `again` its compiled modules are taken from
    the wheel's build, which leaves out the compiler's optimisation: what is tested here is what lands where.
    """

    sdist: Path
    wheel: Path
    checkout: Path
    environment: Environment
    again: tuple[str, ...]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Builds:
    pytest.importorskip("build")
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT], out)
    (sdist,) = out.glob("*.tar.gz")
    # Of the unpacked sdist, so that the checkout of whoever runs the tests stays as it is.
    run([sys.executable, "-m", "tarfile", "-e", sdist, out], out)
    (checkout,) = out.glob("gtp_variants-*[0-9]")
    environment = Environment(out / "builder")
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    environment.install(*project["build-system"]["requires"], "cmake", "ninja")
    settings = (f"--config-settings=build-dir={out / 'build'}", "--config-settings=cmake.build-type=Debug")
    again = ("--no-deps", "--no-build-isolation", *settings)
    pip = (sys.executable, "-m", "pip", "--python", environment.python, "wheel", "-q", "--wheel-dir", out)
    run((*pip, *again, checkout), out, PATH=environment.path)
    (wheel,) = out.glob("*.whl")
    return Builds(sdist, wheel, checkout, environment, again)


def test_wheel_holds_the_package_and_nothing_beside_it(builds: Builds) -> None:
    files = zipfile.ZipFile(builds.wheel).namelist()
    assert {name.partition("/")[0] for name in files} == {
        "gtp_variants",
        f"gtp_variants-{version()}.data",
        f"gtp_variants-{version()}.dist-info",
    }
    shared = {name.partition(".data/data/")[2] for name in files if ".data/data/" in name}
    assert shared == set(shared_files())
    carried = {
        "gtp_variants/py.typed",
        "gtp_variants/bots/__init__.py",
        "gtp_variants/bots/uniform.py",
        "gtp_variants/configs/__init__.py",
        "gtp_variants/configs/aleago-first.yaml",
        "gtp_variants/configs/openings/pentalath.txt",
        *(
            str(file.relative_to(ROOT))
            for file in (ROOT / "gtp_variants").rglob("*")
            if file.suffix in DATA or (file.is_file() and "static" in file.parts)
        ),
    }
    assert carried <= set(files)
    assert not [name for name in files if "__pycache__" in name]


def test_wheel_with_its_declared_dependencies(builds: Builds, tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.install(builds.wheel)
    assert not {"bots", "configs"} & environment.installed()
    where = environment.loads_everything()
    assert where.is_relative_to(environment.site_packages.resolve())
    assert version() in run([environment.script("gtp-variants"), "--version"], environment.empty)

    # Someone else's bots beside the package are not ours.
    foreign = environment.site_packages / "bots"
    foreign.mkdir()
    (foreign / "stranger.py").touch()
    environment.loads_everything()

    environment.has_shared_files()
    # Python looks into the folder it is started in first: there the checkout hides the kernel.
    hidden = "from gtp_variants.base.installation import find_hidden_kernel; print(find_hidden_kernel())"
    kernel = run([environment.python, "-c", hidden], builds.checkout).strip()
    assert (kernel == "None") == (environment.search_backend() == "python")
    assert kernel == "None" or Path(kernel).is_relative_to(environment.site_packages)


def test_sdist(builds: Builds, tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.borrow_dependencies()
    # What compiles in it has shown in the wheel.
    environment.install("--no-deps", builds.sdist, GTP_VARIANTS_PURE="1")
    assert not {"bots", "configs"} & environment.installed()
    assert environment.loads_everything().is_relative_to(environment.site_packages.resolve())


def test_editable(builds: Builds) -> None:
    checkout, environment = builds.checkout, builds.environment
    environment.borrow_dependencies()
    environment.install(*builds.again, "-e", checkout, PATH=environment.path)
    assert not {"bots", "configs"} & environment.installed()
    assert environment.loads_everything().is_relative_to(checkout.resolve())
    has_compiler = os.name == "nt" or shutil.which("g++") is not None
    backend = "native" if has_compiler else "python"
    assert environment.search_backend(checkout) == backend
    # The same in the checkout's own folder, into which Python looks first.
    assert run([environment.python, "-c", ASK], checkout).split()[0] == backend
    environment.has_shared_files()

    # Of all folders, it makes importable the checkout, and not the one above it.
    path = run([environment.python, "-c", "import sys; print(*sys.path, sep='\\n')"], environment.empty)
    assert str(checkout) in path.splitlines()
    assert str(checkout.parent) not in path.splitlines()

    # What is added afterwards is found without installing again.
    (checkout / "bots" / "newcomer.py").touch()
    (checkout / "configs" / "newcomer.yaml").touch()
    new = "import gtp_variants.bots.newcomer, gtp_variants.configs as c; print(c.path('newcomer'))"
    assert "newcomer.yaml" in run([environment.python, "-c", new], environment.empty)


def test_checkout(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.borrow_dependencies()
    where = environment.loads_everything(PYTHONPATH=str(ROOT))
    assert where == ROOT / "gtp_variants" / "bots" / "__init__.py"


@pytest.mark.long
@pytest.mark.parametrize(
    "setting",
    [
        # Other systems find other compilers in other ways.
        pytest.param({"CXX": "/bin/false"}, marks=pytest.mark.skipif(os.name == "nt", reason="no /bin/false")),
        {"GTP_VARIANTS_PURE": "1"},
    ],
    ids=["for want of a compiler", "by choice"],
)
def test_without_the_kernel(setting: dict[str, str], tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.borrow_dependencies()
    environment.install("--no-deps", ROOT, **setting)
    assert environment.search_backend() == "python"
