"""The command `serve`: what it prints, what it refuses, who may reach it."""

import json
import socket
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosedError

from gtp_variants.base.installation import install_command
from gtp_variants.cli import main
from gtp_variants.cli.play.serve import is_loopback, local_addresses
from gtp_variants.players.publisher import Place, address_file
from gtp_variants.site.access.accounts import PERSON, Account, fits
from gtp_variants.site.http import POLICY_VIOLATED
from gtp_variants.site.site_file import SiteStore
from tests.site.page.serving import PATIENCE_S, process, site, visitor_of


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "websockets", "segno"])
def test_a_missing_package_is_named_with_its_install_command(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["web"]) == 2
    said = capsys.readouterr().err
    assert missing in said
    assert install_command("web") in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "unknown game"),
        (["--engine", "mcts=x"], "this name is taken"),
        (["--host", "256.1.1.1"], "web:"),
    ],
)
def test_invalid_arguments_of_web_are_refused(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["web", "--store", str(tmp_path / "games"), *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--token", "short", "at least 16 characters, without accents or blanks"),
        ("--token", " begins with a blank", "at least 16 characters, without accents or blanks"),
        ("--port", "70000", "0 to 65535"),
    ],
)
def test_invalid_options_are_refused(
    option: str, value: str, expected: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["web", "--store", str(tmp_path / "games"), option, value])
    assert ended.value.code == 2
    assert f"web: {option}: expected {expected}, not {value!r}\n" in capsys.readouterr().err
    assert not (tmp_path / "games").exists()


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["web", "--store", str(tmp_path / "games"), "--port", str(port)]) == 2
    assert "in use" in capsys.readouterr().err


def test_a_file_that_is_no_store_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "games").write_text("no database, but long enough to be looked at" * 50, encoding="utf-8")
    assert main(["web", "--store", str(tmp_path / "games"), "--port", "0"]) == 2
    assert "games: cannot be used" in capsys.readouterr().err


@pytest.mark.slow
def test_serving_the_network_requires_a_token(tmp_path: Path) -> None:
    with process(tmp_path / "games", "--host", "0.0.0.0", "go:size=5") as (served, child):
        assert served.ask("/api/games", {"spec": "go:size=5"}).status == 401
        assert served.ask("/api/about").json["token"] is True
        child.kill()
        assert child.stdout is not None
        assert "Ctrl-C" in child.stdout.read()


@pytest.mark.slow
def test_the_address_that_is_printed_holds_the_token_as_it_is(tmp_path: Path) -> None:
    token = "plus+and&percent%41#"
    with process(tmp_path / "games", "--token", token) as (served, _):
        address = served.greeting.removeprefix("open ").strip()
        # As the page reads it.
        assert parse_qs(urlsplit(address).fragment) == {"token": [token]}


@pytest.mark.slow
def test_programs_of_the_same_user_find_the_server_by_its_store(tmp_path: Path) -> None:
    store = tmp_path / "games"
    with process(store) as (served, child):
        address = Place(str(address_file(store))).find()
        assert address is not None
        assert address.url == served.base
        told = {"from": 0, "events": [], "head": {"spec": "go:size=5", "players": {}, "setup": []}}
        path = "/api/live/told-by-somebody-who-may-1"
        assert served.ask(path, told, authorization=f"Bearer {address.key}").status == 200
        assert served.ask(path, told).status == 401
        child.kill()
        assert child.stdout is not None
        assert f"--watch {address_file(store)}" in child.stdout.read()


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("127.0.0.1", []),
        ("::1", []),
        ("localhost", []),
        ("192.168.7.8", ["http://192.168.7.8:80"]),
        ("fe80::5", ["http://[fe80::5]:80"]),
        ("go.example", ["http://go.example:80"]),
    ],
)
def test_addresses_for_other_devices(host: str, addresses: list[str]) -> None:
    assert local_addresses(host, 80) == addresses
    assert is_loopback(host) == (not addresses)


def refuse_to_write(*about: object) -> None:
    raise OSError("the disk is full")


def test_the_user_of_this_computer_needs_no_password_and_keeps_the_games_of_a_guest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gtp_variants.site.access.account_store.getuser", lambda: "ann")
    with site(has_owner=True) as served:
        assert served.owner is not None
        address, (mode, kept) = served.owner.text, (served.owner.file.stat().st_mode, served.owner.file.read_text())
        assert (mode & 0o777, kept) == (0o600, f"{address}\n")
        answer = served.ask("/api/games", {"spec": "go:size=5", "seats": {"w": {"kind": "invited"}}})
        # Who only looks at the address does not use it up; nor does a key of which no next one can be kept.
        assert httpx.head(served.base + address, timeout=PATIENCE_S).status_code == 200
        with monkeypatch.context() as full:
            full.setattr("gtp_variants.site.access.visitors.write", refuse_to_write)
            assert httpx.get(served.base + address, timeout=PATIENCE_S).status_code == 500
        entered = httpx.get(served.base + address, headers={"cookie": answer.cookie}, timeout=PATIENCE_S)
        cookie = entered.headers["set-cookie"].partition(";")[0]
        assert (entered.status_code, entered.headers["location"], visitor_of(cookie)) == (303, "/", "ann")
        assert served.ask("/api/about", cookie=cookie).json["owner"] is True
        with served.sit(answer.json["game"], Cookie=cookie) as seat:
            assert seat.whole["you"] == "b"
        # The address is good once, though not for the browser that it has let in; the next one is in the file.
        again = httpx.get(served.base + address, headers={"cookie": cookie}, timeout=PATIENCE_S)
        other = httpx.get(served.base + address, timeout=PATIENCE_S)
        following = httpx.get(served.base + served.owner.file.read_text().strip(), timeout=PATIENCE_S)
        assert [each.status_code for each in (again, other, following)] == [303, 403, 303]


def test_another_user_of_this_computer_is_a_guest() -> None:
    with site(has_owner=True) as served:
        assert served.ask("/api/about").json["owner"] is False
        assert served.ask("/api/session", {}).status == 403
        assert served.ask("/owner/guess").status == 403


def test_a_socket_that_says_nothing_until_its_account_is_signed_out_is_closed() -> None:
    with site() as served:
        made = served.ask("/api/games", {"spec": "go:size=5"})
        entered = served.ask("/api/session", {"name": "ann", "password": "tulips"}, cookie=made.cookie)
        for path in ("/api/lobby", "/api/socket"):
            with served.dial(path, Cookie=entered.cookie) as line:
                assert served.ask("/api/session", method="DELETE", cookie=entered.cookie).status == 200
                line.send(json.dumps({"do": "look", "join": made.json["game"]}))
                with pytest.raises(ConnectionClosedError) as closed:
                    line.recv(timeout=PATIENCE_S)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == POLICY_VIOLATED
            entered = served.ask("/api/session", {"name": "ann", "password": "tulips"})


def test_nobody_signs_in_without_a_password_where_there_is_no_owner() -> None:
    with site() as served:
        assert served.ask("/api/about").json["owner"] is False
        assert served.ask("/api/session", {}).status == 403


def test_the_lobby_needs_the_token_or_an_account() -> None:
    token, account = "a-token-of-a-server", {"name": "ann", "password": "tulips"}
    with site(token=token) as served:
        assert served.ask("/api/session", account).status == 401
        assert served.ask("/standings").status == 401
        entered = served.ask("/api/session", account, authorization=f"Bearer {token}")
        assert served.ask("/standings", cookie=entered.cookie).status == 200
        for told, headers in ((token, {}), (None, {"Cookie": entered.cookie})):
            with served.dial("/api/lobby", **headers) as line:
                line.send(json.dumps({"do": "look", "token": told}))
                assert json.loads(line.recv(timeout=PATIENCE_S))["type"] == "you"
        with served.dial("/api/lobby") as line:
            line.send(json.dumps({"do": "look", "token": "another"}))
            with pytest.raises(ConnectionClosedError) as closed:
                line.recv(timeout=PATIENCE_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == POLICY_VIOLATED


def test_the_account_of_the_owner_is_made_once_and_never_that_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = SiteStore(None).accounts
    monkeypatch.setattr("gtp_variants.site.access.account_store.getuser", lambda: "Zoë Lee")
    assert [accounts.find_owner(), accounts.find_owner()] == ["ZoLee", "ZoLee"]
    assert not fits("", "")
    accounts.write(Account("ZoLee", "a password", PERSON))
    assert accounts.find_owner() == "player"
    monkeypatch.setattr("gtp_variants.site.access.account_store.getuser", lambda: "root")
    assert accounts.find_owner() == "player"
