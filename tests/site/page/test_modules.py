"""The modules of the page without a browser: their unit tests under node, and their types read by TypeScript."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.page.server import words_in

MODULES = Path(__file__).with_name("modules")
NODE = shutil.which("node")
# `npm install --prefix FOLDER typescript`, and FOLDER/node_modules/.bin on the path.
TSC = shutil.which("tsc", path=os.environ.get("TYPESCRIPT_BIN", os.environ.get("PATH")))


def run(*command: str) -> None:
    words = json.dumps({lang: json.loads(words_in(lang)) for lang in LANGUAGES})
    environment = os.environ | {"PAGE_WORDS": words}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]


@pytest.mark.skipif(NODE is None, reason="no node on this computer: apt-get install nodejs")
def test_the_modules_do_what_they_should() -> None:
    assert NODE is not None
    run(NODE, "--test", *map(str, sorted(MODULES.glob("*.test.mjs"))))


@pytest.mark.slow
@pytest.mark.skipif(TSC is None, reason="no tsc on this computer: npm install -g typescript")
def test_the_types_of_the_modules_hold() -> None:
    assert TSC is not None
    run(TSC, "--project", str(MODULES))
