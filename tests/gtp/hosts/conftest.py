"""Windows of GoGui, two processes each; and the same dice and choices whenever the tests run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from tests.gtp.hosts.gogui_host import GoGui, Start
from tests.support.programs import COMMAND


@pytest.fixture(scope="module", autouse=True)
def _same_dice(request: pytest.FixtureRequest) -> Iterator[None]:
    """Name the host by the tests, so that engines without a seed have the same key each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GTP_VARIANTS_HOST", request.module.__name__)
        yield


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Begins windows; at the end their processes end with their input, saying nothing but what searches."""
    ways: list[ProcessChannel] = []

    def begin(spec: str, *arguments: str) -> GoGui:
        environment = {**os.environ, "GTP_VARIANTS_HOST": f"window {len(ways)} of {spec}"}
        for _ in range(2):
            command = [*COMMAND, "gtp", spec, "--bot", "greedy", *arguments]
            ways.append(ProcessChannel(command, environment=environment, stderr=tmp_path / "stderr"))
        return GoGui(*(GtpController(way, timeout_s=60) for way in ways[-2:]))

    yield begin
    for way in ways:
        way.close()
    lines = (tmp_path / "stderr").read_text(encoding="utf-8").splitlines()
    # A pass that suspends the game tells its count to the window.
    expected = (" search, ", "gogui-gfx: TEXT the game is suspended by passes")
    assert [line for line in lines if not any(words in line for words in expected)] == []
