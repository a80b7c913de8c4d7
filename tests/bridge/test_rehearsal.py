"""A rehearsal: one login or one game, what was said without secrets, and what of our beliefs held."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from gtp_variants.bridge.core.config import SERVER_TYPES, BridgeConfig
from gtp_variants.bridge.core.server import Server
from gtp_variants.bridge.rehearsal import BROKEN, EXPECTATIONS, HOLDS, NOT_SEEN, Expectation, Rehearsal, RehearsalReport
from gtp_variants.cli.compete.bridge import connect
from tests.bridge.fakes.cgos_server import CgosServer
from tests.bridge.fakes.fake_server import LineClient
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, PASSWORD, Person, config_of, environment, text_of
from tests.support.programs import COMMAND
from tests.support.waiting import until


def _verdict(report: RehearsalReport, says: str) -> str:
    (verdict,) = [verdict for each, verdict in report.verdicts if says in each.says]
    return verdict


async def test_a_login_without_a_game(tmp_path: Path) -> None:
    async with CgosServer() as server:
        report = await Rehearsal(config_of("cgos", server.port, tmp_path), "", connect, listens_s=0.3).run()
        assert report.went_well
        assert report.games == 0
        assert not server.finished
    assert _verdict(report, "username") == HOLDS
    assert _verdict(report, "gameover") == NOT_SEEN
    text = report.transcript.read_text()
    assert "< protocol genmove_analyze" in text
    assert "holds     observed" in text
    assert PASSWORD not in text
    assert report.transcript.stat().st_mode & 0o077 == 0


async def test_one_game_against_a_friend_and_nobody_else(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        rehearsal = asyncio.create_task(Rehearsal(config_of("nngs", server.port, tmp_path), "alpha", connect).run())
        alpha, bravo = await Person(server, "alpha").come(), await Person(server, "bravo").come()
        await until(lambda: server.is_ready("botty"), "the bot")
        bravo.type("match botty b 5 10 0")
        await bravo.hears("botty declines")
        match = await alpha.begin()
        await alpha.play_first(match, True)
        await until(lambda: len(match.moves) == 2, "the bot's move")
        alpha.type("resign")
        report = await asyncio.wait_for(rehearsal, 60)
        assert report.went_well, report.lines()
        assert report.games == 1
        for person in (alpha, bravo):
            await person.go()
    for says in ("Creating match", "15 0(B)", "`games N`", "`stats`", "`stored`", "{Game N"):
        assert _verdict(report, says) == HOLDS, says
    assert PASSWORD not in report.transcript.read_text()


async def test_differences_from_expectations_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(self: NngsServer, client: LineClient, rest: str) -> None:
        self.say(client, "5 stats: Unknown command.", "1 5")

    def connect_and_note(config: BridgeConfig, log: Callable[[str], None]) -> Server:
        def note(text: str) -> None:
            heard.append(text)
            log(text)

        return connect(config, note)

    heard: list[str] = []
    monkeypatch.setattr(NngsServer, "_do_stats", unknown)
    async with NngsServer(ACCOUNTS) as server:
        rehearsal = Rehearsal(config_of("nngs", server.port, tmp_path), "", connect_and_note, listens_s=3600.0)
        running = asyncio.create_task(rehearsal.run())
        await until(lambda: "< 5 stats: Unknown command." in heard, "the answer")
        rehearsal._listens_s = 0.0
        report = await asyncio.wait_for(running, 60)
    assert not report.went_well
    assert report.lines()[0].split(None, 2) == [BROKEN, "observed", "`stats` shows our name on the server"]


async def test_a_refused_login_is_an_end_with_a_transcript(tmp_path: Path) -> None:
    async with CgosServer() as server:
        server.passwords["botty"] = "another"
        path = tmp_path / "bridge.yaml"
        path.write_text(text_of("cgos", server.port, tmp_path))
        process = await asyncio.create_subprocess_exec(
            *(*COMMAND, "bridge", str(path), "rehearse"),
            env=environment(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        said = (await process.communicate())[0].decode()
    assert process.returncode == 3
    assert "holds     observed       a wrong login is answered with `Error:`" in said
    assert "transcript without secrets: " in said
    assert PASSWORD not in said


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([], NOT_SEEN),
        (["> ask"], BROKEN),
        (["> ask", "< good"], HOLDS),
        (["< good", "< bad"], BROKEN),
    ],
)
def test_a_verdict_by_what_was_seen(lines: list[str], verdict: str) -> None:
    assert Expectation("it", "observed", "^< good", "^< bad", "^> ask").verdict(lines) == verdict


def test_something_is_expected_of_every_kind_of_server() -> None:
    assert set(EXPECTATIONS) >= set(SERVER_TYPES) - {"ogs"}
