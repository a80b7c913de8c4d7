"""The unit for systemd and the container file name what is there and say what the bridge does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.bridge.core.account import session
from gtp_variants.cli.compete.bridge import WRONG

FOLDER = configs.bridge("cgos").parent
ANALYZE = shutil.which("systemd-analyze")


def unit() -> str:
    return (FOLDER / "gtp-variants-bridge.service").read_text(encoding="utf-8")


def test_the_unit_does_not_restart_what_needs_a_person() -> None:
    found = re.search(r"^RestartPreventExitStatus=(.*)$", unit(), re.MULTILINE)
    assert found is not None
    assert found[1].split() == [str(status) for status in (WRONG, session.REFUSED, session.FAILED)]


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    # The command need not be installed where the tests run, nor the one that sends the signal be in its place.
    text = re.sub(r"(?m)^(Exec\w+=)\S+", rf"\g<1>{shutil.which('true')}", unit())
    file = tmp_path / "gtp-variants-bridge.service"
    file.write_text(text, encoding="utf-8")
    assert ANALYZE is not None
    done = subprocess.run([ANALYZE, "verify", str(file)], capture_output=True, text=True, check=False, timeout=120)
    # It may also speak of units of the machine; ours has nothing to be said about.
    assert "gtp-variants-bridge" not in done.stdout + done.stderr


def test_the_container_copies_what_is_there_and_runs_what_is_a_command() -> None:
    text = (FOLDER / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert {line.split()[0] for line in lines} <= set("FROM RUN COPY USER WORKDIR STOPSIGNAL ENTRYPOINT CMD".split())
    assert 'ENTRYPOINT ["gtp-variants", "bridge"]' in lines
    # TERM is what lets games end.
    assert "STOPSIGNAL SIGTERM" in lines
    users = [index for index, line in enumerate(lines) if line.startswith("USER ")]
    assert users
    assert users[-1] < lines.index('ENTRYPOINT ["gtp-variants", "bridge"]')
    # Two stages: what builds stays behind.
    assert [line for line in lines if line.startswith("FROM ")][-1] == "FROM python:3.13-slim"
    assert any(line.startswith("COPY --from=build ") for line in lines)
