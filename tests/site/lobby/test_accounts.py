"""Accounts: open and closed servers, the limit per address, and the command that makes them."""

import asyncio
import io
from contextlib import closing
from pathlib import Path

import pytest

from gtp_variants.cli.compete import server
from gtp_variants.errors import ConfigError
from gtp_variants.site.site_file import SiteStore
from tests.site.lobby.servers import Client, run, serving
from tests.support.waiting import until


def make(folder: Path, name: str, password: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    return server.main(["account", name, "--dir", str(folder)])


@pytest.mark.slow
def test_a_closed_server_lets_in_whom_its_host_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(tmp_path, "alpha", "tulips", monkeypatch) == 0
    assert capsys.readouterr().out == "alpha: account created\n"

    async def test() -> None:
        async with serving(tmp_path, is_open=False) as server:
            stranger = await Client("bravo", password="tulips").come(server.port)
            assert "no account has this user name" in await stranger.until("Error")
            assert server.store.accounts.find("bravo") is None
            alpha = await Client("alpha", password="tulips").come(server.port)
            # Another one, while the server runs.
            assert await asyncio.to_thread(make, tmp_path, "bravo", "roses-1", monkeypatch) == 0
            bravo = await Client("bravo", password="roses-1").come(server.port)
            await alpha.until("setup")
            await bravo.until("setup")
            # A new password leaves the rating as it is.
            black = next(iter(server.lobby.running.values())).names[1]
            (alpha if black == "alpha" else bravo).type("resign")
            await bravo.until("gameover")
            before, rating = server.store.accounts.find("alpha"), server.store.accounts.rating("alpha", "go")
            assert make(tmp_path, "ALPHA", "peonies", monkeypatch) == 0
            after = server.store.accounts.find("alpha")
            assert before is not None
            assert after is not None
            assert (after.name, rating.games) == ("alpha", 1)
            assert server.store.accounts.rating("alpha", "go") == rating
            assert after.password != before.password
            old = await Client("alpha", password="tulips").come(server.port)
            assert (await old.until("Error")).endswith("match")

    run(test())
    assert capsys.readouterr().out == "bravo: account created\nalpha: password changed\n"


def test_new_accounts_from_one_address_are_limited(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5", new_accounts=2) as server:
            for name in ("alpha", "bravo"):
                await Client(name).come(server.port)
            await until(lambda: len(server.lobby.guests) == 2, "the logins")
            late = await Client("charlie").come(server.port)
            assert "too many new accounts from your address" in await late.until("Error")
            # Who has one comes in as ever.
            await Client("alpha").come(server.port)
            await until(lambda: sum("logged in" in line for line in server.log) == 3, "the login")
            assert server.store.accounts.find("charlie") is None
            assert any("alpha: a new account, from 127.0.0.1" in line for line in server.log)

    run(test())


def test_two_logins_of_an_unknown_name_at_once_make_one_account(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            for number in range(2):
                await Client("alpha", password=f"tulip-{number}").come(server.port)
            await until(lambda: any("doesn't match" in line for line in server.log), "the refusal")
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            assert sum("new account" in line for line in server.log) == 1
            assert sum("logged in" in line for line in server.log) == 1

    run(test())


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("1abc", "tulips", "user name"),
        ("alpha", "short", "password: expected 6 to 64"),
        ("alpha", "", "password: expected 6 to 64"),
        ("alpha.7", "Alpha.7", "different from the name"),
    ],
)
def test_an_invalid_account_is_not_made(
    tmp_path: Path,
    name: str,
    password: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert make(tmp_path, name, password, monkeypatch) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "server.sqlite3").exists()


def test_a_password_is_typed_twice_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def give_up(prompt: str) -> str:
        raise EOFError

    typed = iter(["tulips", "tulipa", "tulips", "tulips"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr(server, "getpass", lambda prompt: next(typed))
    assert server.main(["account", "alpha", "--dir", str(tmp_path)]) == 2
    assert "type the same password twice" in capsys.readouterr().err
    assert server.main(["account", "alpha", "--dir", str(tmp_path)]) == 0
    monkeypatch.setattr(server, "getpass", give_up)
    assert server.main(["account", "alpha", "--dir", str(tmp_path)]) == 2


@pytest.mark.parametrize(
    ("word", "expected"),
    [("0", "1 or more"), ("-1", "1 or more"), ("x", "a whole number"), ("1" * 30, "1 to 999999999")],
)
def test_invalid_limits_of_accounts_are_refused(word: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        server.main(["--new-accounts", word])
    assert f"--new-accounts: expected {expected}, not {word!r}\n" in capsys.readouterr().err


def test_a_store_has_one_server(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite3"
    one = SiteStore(path, is_server=True)
    with pytest.raises(ConfigError, match="perhaps another server"):
        SiteStore(path, is_server=True)
    # The file of an older version may be in use by an older server, so nothing is converted beside it.
    one.database.run_script("pragma user_version = 6; drop table chat")
    with pytest.raises(ConfigError, match="perhaps another server"):
        SiteStore(path)
    assert not one.database.rows("select 1 from sqlite_master where name = 'chat'")
    one.close()
    with closing(SiteStore(path, is_server=True)) as other:
        assert other.database.rows("select count(*) from chat") == [(0,)]
