"""The server's unit, container file and fail2ban filter name what is there and keep little."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gtp_variants.cli.compete.server import parser
from gtp_variants.site.lobby.admin import WORDS
from tests.site.lobby.servers import Client, run, serving

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "configs" / "server"
ANALYZE = shutil.which("systemd-analyze")
# From so much on systemd calls a service exposed.
MOST_EXPOSED = 2.5


def unit() -> str:
    return (FOLDER / "gtp-variants-server.service").read_text(encoding="utf-8")


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not here")
def test_systemd_takes_the_unit_and_finds_it_hardly_exposed(tmp_path: Path) -> None:
    assert ANALYZE is not None
    file = tmp_path / "gtp-variants-server.service"
    file.write_text(re.sub(r"(?m)^(Exec\w+=)\S+", rf"\g<1>{shutil.which('true')}", unit()), encoding="utf-8")
    done = subprocess.run([ANALYZE, "verify", str(file)], capture_output=True, text=True, check=False, timeout=120)
    assert "gtp-variants-server" not in done.stdout + done.stderr
    command = [ANALYZE, "security", "--offline=true", "--no-pager", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if "offline" in done.stderr:
        pytest.skip("this systemd-analyze looks at running units only")
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found is not None, done.stdout + done.stderr
    assert float(found[1]) < MOST_EXPOSED


def test_unit_and_container_start_the_server_with_options_it_has() -> None:
    words = re.search(r"^ExecStart=\S+ server (.*)$", unit(), re.MULTILINE)
    assert words is not None
    options = parser().parse_args(words[1].split())
    assert (options.host, options.http) == ("0.0.0.0", 8080)
    container = (FOLDER / "Containerfile").read_text(encoding="utf-8")
    entry = [
        re.findall(r'"([^"]*)"', line) for line in container.splitlines() if line.startswith(("ENTRYPOINT", "CMD"))
    ]
    options = parser().parse_args([*entry[0][2:], *entry[1]])
    assert (str(options.dir), options.http) == ("/server", 8080)
    health = re.search(r"^HEALTHCHECK .*CMD (.*)$", container, re.MULTILINE)
    assert health is not None
    assert re.findall(r'"([^"]*)"', health[1])[2] in WORDS
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", container, re.MULTILINE)
    assert all((ROOT / name).exists() for line in copied for name in line.split())


def test_the_fail2ban_filter_finds_the_guessers_address(tmp_path: Path) -> None:
    text = (FOLDER / "fail2ban-filter.conf").read_text(encoding="utf-8")
    found = re.search(r"^failregex = (.*)$", text, re.MULTILINE)
    assert found is not None
    # As fail2ban reads it: HOST is an address.
    expression = re.compile(found[1].replace("<HOST>", r"(?P<host>[0-9a-fA-F.:]+)"))

    async def test() -> None:
        async with serving(tmp_path) as server:
            noise = await Client("noise").connect(server.port)
            noise.send(b"GET / HTTP/1.1\n")
            await noise.until("Error")
            wrong = await Client("wrong").connect(server.port)
            wrong.send(b"e1 x\n1x\n")
            await wrong.until("Error")
            refusals = [line for line in server.log if line.startswith("refused")]
            assert len(refusals) == 2
            for line in refusals:
                match = expression.search(f"2026-11-22T23:59:59.123Z {line}")
                assert match is not None, line
                assert match["host"] == "127.0.0.1"
            # Whoever is only late or unlucky is not sent away by a firewall.
            assert not expression.search("2026-11-22T23:59:59.123Z refused 203.0.113.7 -: nobody logged in in time")
            assert not expression.search("2026-11-22T23:59:59.123Z bot refused 203.0.113.7 -: too many lines")

    run(test())
