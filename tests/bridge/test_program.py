"""The command: kill -9 in the middle of a game, signals, check, reload, the health page, the configuration's faults."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.base.processes.secrecy import SECRET_PLACES
from gtp_variants.bridge.core import account, config_file
from gtp_variants.bridge.core.config import Password, from_environment
from gtp_variants.cli.compete.bridge import HealthPage, main
from gtp_variants.errors import ConfigError
from gtp_variants.records.files import load_record
from gtp_variants.records.record import verify
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import (
    ACCOUNTS,
    ALEAGO,
    PASSWORD,
    Person,
    config_of,
    environment,
    running,
    text_of,
)
from tests.support.programs import COMMAND
from tests.support.waiting import until

PROGRAM = [*COMMAND, "bridge"]


async def _start(path: Path, *more: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *PROGRAM, str(path), *more, env=environment(), stderr=asyncio.subprocess.DEVNULL
    )


@pytest.mark.slow
async def test_a_killed_bridge_continues_with_the_same_dice(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        path = tmp_path / "bridge.yaml"
        path.write_text(text_of("nngs", server.port, tmp_path, game=ALEAGO))
        process = await _start(path)
        person = await Person(server, "alpha").come()
        await person.begin()
        for _ in range(2):
            await person.play_on(2)
            process.send_signal(signal.SIGKILL)
            await process.wait()
            await until(lambda: "botty" not in server.online)
            # The password is in no argument, and the files that hold the dice are nobody else's.
            for file in (tmp_path / "out" / "games").iterdir():
                assert file.stat().st_mode & 0o077 == 0
            process = await _start(path)
            await until(lambda: server.match is not None, "the game again")
        await person.hears("The game continues with the same dice", 1)
        await person.play_on(1)
        person.type("resign")
        await person.hears("secret of the dice was")
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
        person.check_draws()
        (record,) = (tmp_path / "out" / "records").glob("*.sgf")
        assert verify(load_record(record)).ok
        await person.go()


async def test_engines_of_a_bridge_see_neither_its_password_nor_its_games(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server, running(config_of("nngs", server.port, tmp_path, game=ALEAGO)):
        secret = {tmp_path / name for name in ("botty.password", "out/games", "out/logs")}
        assert secret <= SECRET_PLACES


def test_the_password_is_in_no_process_list_and_check_logs_in_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "bridge.yaml"
    path.write_text(text_of("nngs", 1, tmp_path, game=ALEAGO))
    done = subprocess.run([*PROGRAM, str(path), "check"], capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 0, done.stderr
    assert "greedy is ready, its first move:" in done.stdout
    assert PASSWORD not in done.stdout + done.stderr


def test_check_says_what_is_wrong_with_an_engine(tmp_path: Path) -> None:
    path = tmp_path / "bridge.yaml"
    more = "engine: {command: no-such-program-here, restarts: 0, grace: 1ms}\n"
    path.write_text(text_of("nngs", 1, tmp_path, more, game=ALEAGO))
    done = subprocess.run([*PROGRAM, str(path), "check"], capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 2
    assert "no-such-program-here" in done.stderr


async def test_a_second_signal_ends_at_once_and_hup_reads_the_file_again(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        path = tmp_path / "bridge.yaml"
        path.write_text(text_of("nngs", server.port, tmp_path, game=ALEAGO))
        process = await _start(path)
        person = await Person(server, "alpha").come()
        await until(lambda: "botty" in server.online)
        log = tmp_path / "out" / "bridge.log"
        path.write_text("bridge: 1\nserver: nonsense\n")
        process.send_signal(signal.SIGHUP)
        await until(lambda: "the old configuration stays" in log.read_text())
        path.write_text(text_of("nngs", server.port, tmp_path, "challenges: {block: [alpha]}\n", game=ALEAGO))
        process.send_signal(signal.SIGHUP)
        await until(lambda: "configuration reloaded" in log.read_text())
        person.type("match botty b 5 10 0")
        await person.hears("botty declines")
        path.write_text(text_of("nngs", server.port, tmp_path, game=ALEAGO))
        process.send_signal(signal.SIGHUP)
        await until(lambda: log.read_text().count("configuration reloaded") == 2)
        person.type("match botty b 5 10 0")
        # It ends only after games that it knows of.
        await person.hears("Move 1, you")
        process.send_signal(signal.SIGINT)
        await until(lambda: "after the games" in log.read_text())
        assert process.returncode is None
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
        assert PASSWORD not in log.read_text()
        await person.go()


@pytest.mark.slow
async def test_two_bridges_do_not_share_a_folder(tmp_path: Path) -> None:
    async with NngsServer(ACCOUNTS) as server:
        path = tmp_path / "bridge.yaml"
        path.write_text(text_of("nngs", server.port, tmp_path, game=ALEAGO))
        first = await _start(path)
        await until(lambda: "botty" in server.online)
        second = await asyncio.create_subprocess_exec(
            *PROGRAM, str(path), env=environment(), stderr=asyncio.subprocess.PIPE
        )
        _, said = await second.communicate()
        assert second.returncode == 2
        assert b"another bridge is at work in it" in said
        assert "botty" in server.online
        first.send_signal(signal.SIGKILL)
        await first.wait()
        await until(lambda: "botty" not in server.online)
        third = await _start(path)
        await until(lambda: "botty" in server.online)
        third.send_signal(signal.SIGTERM)
        assert await third.wait() == 0


async def test_the_health_page(tmp_path: Path) -> None:
    async def ask(port: int, path: str) -> tuple[str, str]:
        stream, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head, _, text = (await stream.read()).decode().partition("\r\n\r\n")
        writer.close()
        return head.splitlines()[0], text

    async with (
        NngsServer({"botty": PASSWORD}) as server,
        running(config_of("nngs", server.port, tmp_path)) as bridge,
    ):
        page = HealthPage(bridge.session)
        await page.open(0)
        await until(lambda: bridge.session.counters.state == "online")
        status, text = await ask(page.port, "/health")
        assert "200" in status
        assert json.loads(text)["state"] == "online"
        status, text = await ask(page.port, "/metrics")
        assert "gtp_variants_bridge_logins_total 1\n" in text
        assert "404" in (await ask(page.port, "/"))[0]
        await server.close()
        await until(lambda: bridge.session.counters.state == "offline")
        assert "503" in (await ask(page.port, "/health"))[0]
        await page.close()


# -- the configuration -------------------------------------------------------------------------------------------------


def _faults(text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as error:
        config_file.read(text)
    return error.value.faults


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.yaml"]) == 2
    assert "no bridge 'nowhere.yaml'; known: cgos, " in capsys.readouterr().err


def test_all_faults_are_reported_at_once_with_their_paths() -> None:
    faults = _faults(
        "bridge: 2\nsever: {}\nserver: {type: cgos, host: x, port: 99999, account: 'a b', password: hunter2}\n"
        "game: aleago:size=9\nengine: {bot: mcts, bot: gredy}\nchallenges: {size: 9, main: [5m, 1m]}\n"
        "policies: {double_pass: rerol}\nchat: {greeting: 'Hi {oponent}'}\n"
    )
    told = "\n".join(faults)
    for piece in (
        "bridge: expected 1",
        "sever: unknown key; did you mean server?",
        "server.port: expected a port",
        "server.account:",
        "server.password: does not belong in this file",
        "game: aleago: cgos has neither chat nor undo",
        "engine.bot: is given twice, on line 5",
        "did you mean greedy?",
        "challenges.size: unknown key; did you mean sizes?",
        "challenges.main: expected one value, or the least and the most",
        "policies.double_pass: expected reroll, undo or accept",
        "unknown placeholder {oponent}; did you mean opponent?",
    ):
        assert piece in told
    assert "hunter2" not in told


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("challenges: {main: []}", "challenges.main: expected one value, or the least and the most"),
        ("outputs: {dir: ~nobody-here/out}", "outputs.dir: ~nobody-here/out: there is no home folder for ~nobody-here"),
        ("engine: {bot: greedy, cwd: ~nobody-here}", "engine.cwd: ~nobody-here: there is no home"),
        ("engine: {bot: '~nobody-here/bot.py:Bot'}", "engine.bot: ~nobody-here/bot.py: there is no home"),
        (
            "server: {type: nngs, host: x, account: botty, password: {file: ~nobody-here/p}}",
            "server.password: ~nobody-here/p",
        ),
    ],
)
def test_invalid_configuration_is_a_fault_without_traceback(wrong: str, told: str) -> None:
    rest = {
        "server": "server: {type: nngs, host: x, account: botty}",
        "game": "game: go",
        "engine": "engine: {bot: greedy}",
        "outputs": "outputs: {}",
    }
    lines = [line for key, line in rest.items() if not wrong.startswith(f"{key}:")]
    assert told in _faults("\n".join(["bridge: 1", *lines, wrong]))[0]


@pytest.mark.parametrize(
    ("server", "account", "expected"),
    [
        ("kgs", "some bot", "expected a KGS name, a letter and at most nine more letters and digits"),
        ("cgos", "some bot", "expected 2 to 32 letters, digits and . _ - only, and no blanks"),
        ("nngs", "some bot", "expected 2 to 32 letters, digits and . _ - only, and no blanks"),
        ("igs", "some bot", "expected 2 to 32 letters, digits and . _ - only, and no blanks"),
        ("variants", "some bot", "expected 2 to 32 letters, digits and . _ - only, and no blanks"),
        ("ogs", "some bot", ""),
        ("ogs", "Drôle d'oiseau", ""),
        ("ogs", "some  bot", "expected at most 64 letters, and blanks between words"),
        ("ogs", " bot", "expected at most 64 letters, and blanks between words"),
        ("ogs", "b" * 65, "expected at most 64 letters, and blanks between words"),
    ],
)
def test_an_account_may_have_several_words_where_its_server_has_such_names(
    server: str, account: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOTTY", "hunter2")
    where = f"type: {server}, host: x, port: 1" + (", room: Computer Go" if server == "kgs" else "")
    text = (
        f"bridge: 1\nserver: {{{where}, account: {json.dumps(account)}, password: {{env: BOTTY}}}}\n"
        "game: go:size=9\nengine: {bot: greedy}\n"
    )
    if not expected:
        assert config_file.read(text).server.account == account
        return
    (fault,) = _faults(text)
    assert fault.endswith(expected)
    assert "server.account: " in fault


def test_a_password_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    text = text_of("nngs", 1, tmp_path)
    (tmp_path / "botty.password").chmod(0o644)
    assert "chmod 600" in _faults(text)[0]
    (tmp_path / "botty.password").unlink()
    assert "No such file" in _faults(text)[0]


def test_a_password_is_in_no_variable_that_engines_and_hooks_inherit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTTY", "hunter2")
    monkeypatch.setenv("OGS_APIKEY", "hunter2")
    text = (
        "bridge: 1\nserver: {type: ogs, account: botty, password: {env: BOTTY}}\n"
        "game: go:size=9\nengine: {bot: greedy}\n"
    )
    for variable in ("BOTTY", "OGS_APIKEY"):
        assert config_file.read(text.replace("BOTTY", variable)).server.password
        assert variable not in os.environ


async def test_hooks_get_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OGS_APIKEY", "hunter2")
    monkeypatch.setenv("BOTTY", "hunter2")
    from_environment("BOTTY")
    code = f"import os, pathlib; pathlib.Path({str(tmp_path / 'seen')!r}).write_text(str(os.environ))"
    await account.run_hook([sys.executable, "-c", code], {"EVENT": "failure"}, print)
    seen = (tmp_path / "seen").read_text()
    assert "GTP_VARIANTS_EVENT" in seen
    assert "hunter2" not in seen


def test_a_game_that_two_passes_end_can_have_no_new_dice(tmp_path: Path) -> None:
    game = "aleago:size=9,agreement=false"
    assert "agreement=true" in _faults(text_of("nngs", 1, tmp_path, game=game))[0]
    config_of("nngs", 1, tmp_path, "policies: {double_pass: accept}\n", game=game)


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Password("hunter2")
    assert "hunter2" not in f"{secret!r} {secret}"
    assert secret.hidden_in("my hunter2!") == "my ***!"
    assert Password().hidden_in("nothing") == "nothing"


@pytest.mark.parametrize("name", configs.bridges())
def test_our_configurations_can_be_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for server in ("CGOS", "NNGS", "VARIANTS", "KGS"):
        monkeypatch.setenv(f"{server}_PASSWORD", "x")
    monkeypatch.setenv("OGS_APIKEY", "x")
    config = config_file.load(configs.bridge(name))
    assert config.server.type == name.split("-")[0]
    assert config.outputs.folder.name == name


@pytest.mark.parametrize(
    ("kind", "role", "more", "game", "said"),
    [
        ("kgs", "private", "", "go:size=5", "go hides nothing; role private is for phantom"),
        ("kgs", "private", "offer: {open: false}\n", "phantom", "offer: not supported for role private"),
        ("kgs", "referee", "engine: {bot: greedy}\n", ALEAGO, "engine: not supported for role referee"),
        ("kgs", "referee", "time: {margin: 5s}\n", ALEAGO, "time: role referee supports only `first`"),
        ("kgs", "referee", "", "go:size=9", "game: go has no dice; role referee is for aleago"),
        ("kgs", "referee", "watch: everybody\n", ALEAGO, "watch: "),
        ("nngs", "referee", "", ALEAGO, "role: nngs does not support role referee; expected kgs"),
        ("kgs", "board", "", "go:size=5", "go needs no board of its own"),
    ],
)
def test_a_file_says_what_does_not_fit_the_role(
    tmp_path: Path, kind: str, role: str, more: str, game: str, said: str
) -> None:
    server = "room: Dice Room" if kind == "kgs" else ""
    assert said in "\n".join(_faults(text_of(kind, 80, tmp_path, f"role: {role}\n{more}", game=game, server=server)))


@pytest.mark.parametrize(
    ("role", "more", "game", "said"),
    [
        ("private", "", "phantom", "no engine: this bridge only referees"),
        ("private", "engine: {bot: greedy}\n", "phantom", "greedy is ready, its first move: "),
        ("referee", "", ALEAGO, "no engine: this bridge only referees"),
    ],
)
def test_the_check_of_a_referee_needs_no_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], role: str, more: str, game: str, said: str
) -> None:
    pytest.importorskip("httpx", reason="KGS needs httpx: pip install 'gtp-variants[kgs]'")
    file = tmp_path / "judge.yaml"
    file.write_text(text_of("kgs", 80, tmp_path, f"role: {role}\n{more}", game=game, server="room: Dice Room"))
    assert main([str(file), "check"]) == 0
    assert said in capsys.readouterr().out
