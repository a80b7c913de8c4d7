"""A public server: crowds, password guessing, hanging clients, returns after a kill, TLS and bans."""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import Arrival, ConnectionLimits, Gate, Tarpit, network_of, plain_address
from gtp_variants.cli.compete.server import Certificate
from gtp_variants.errors import ConfigError, Refused
from gtp_variants.site.access.account_store import AccountStore
from gtp_variants.site.access.accounts import Account, fits, hash_password
from gtp_variants.site.access.logins import Bans, GuessLimits, Logins
from gtp_variants.site.access.passwords import PasswordChecks, load_key
from gtp_variants.site.site_file import SiteStore, open_site
from tests.site.lobby.servers import Client, Server, run, serving
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]


async def two_at_play(server: Server) -> list[Client]:
    clients = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
    for client in clients:
        await client.until("setup")
    return clients


async def slow_hashes(server: Server, *names: str) -> None:
    """Wait until the passwords of new accounts are hashed as they stay."""

    def are_slow() -> bool:
        accounts = [server.store.accounts.find(name) for name in names]
        return all(account is not None and account.password.startswith("scrypt ") for account in accounts)

    await until(are_slow, "the slow hashes")


def test_a_quick_hash_of_an_older_version_opens_its_account_and_becomes_a_slow_one(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            quick = f"keyed aa {PasswordChecks(load_key(tmp_path / 'session.key'))._mac('alpha', 'aa', 'secret')}"
            server.store.accounts.write(Account("alpha", quick))
            thief = await Client("alpha", password="tulips").come(server.port)
            assert await thief.until("Error") == "Error: Sorry, password doesn't match"
            for _ in range(2):
                await Client("alpha").come(server.port)
                await slow_hashes(server, "alpha")

    run(test())


def test_password_guesses_beyond_the_limit_are_not_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        monkeypatch.setattr("gtp_variants.site.access.logins._GUESSES", 3.0)
        monkeypatch.setattr("gtp_variants.site.access.logins._GUESSES_A_SECOND", 0.0)
        monkeypatch.setattr("gtp_variants.site.access.logins._WRONG_S", 0.0)
        async with serving(tmp_path) as server:
            server.store.accounts.write(Account("alpha", hash_password("tulips")))
            for _ in range(3):
                wrong = await Client("alpha", password="roses-1").come(server.port)
                assert (await wrong.until("Error")).endswith("match")
            late = await Client("alpha", password="tulips").come(server.port)
            assert "too many wrong passwords from your address" in await late.until("Error")
            # Others of that address come in: they need no hash of an account that is there.
            await Client("bravo").come(server.port)
            await until(lambda: "bravo" in server.lobby.guests, "the login")
            assert any("refused 127.0.0.1 alpha: Sorry" in line for line in server.log)

    run(test())


def test_guesses_made_at_once_are_charged_before_they_are_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = list[str]()

    def note(kept: str, password: str) -> bool:
        hashed.append(password)
        return password == "tulips"

    async def test() -> None:
        monkeypatch.setattr("gtp_variants.site.access.logins._WRONG_S", 0.0)
        monkeypatch.setattr("gtp_variants.site.access.logins.fits", note)
        monkeypatch.setattr("gtp_variants.site.access.logins._GUESSES_A_SECOND", 0.0)
        store = AccountStore(open_site(None), {})
        store.write(Account("alpha", "scrypt"))
        for number in range(30):
            store.write(Account(f"bot{number}", "scrypt"))
        logins = Logins(store, PasswordChecks(bytes(32)), lambda line: None, is_open=True, new_accounts=0)
        # A crowd that comes back at once with its passwords waits for room, and is let in.
        crowd = [logins.open(f"bot{number}", "tulips", "here", "bot", plays=False) for number in range(30)]
        assert len({account.name for account in await asyncio.gather(*crowd)}) == 30
        hashed.clear()
        wrong = [logins.open("alpha", f"roses-{number}", "there", "bot", plays=False) for number in range(60)]
        told = await asyncio.gather(*wrong, return_exceptions=True)
        assert len(hashed) == 20
        reasons = Counter(error.answer for error in told if isinstance(error, Refused))
        assert reasons == {
            "Sorry, password doesn't match": 20,
            "too many wrong passwords from your address; come back in some minutes": 40,
        }
        logins.close()

    asyncio.run(test())


def test_guesses_are_limited_for_an_account_from_everywhere_and_its_owner_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        monkeypatch.setattr("gtp_variants.site.access.logins._WRONG_S", 0.0)
        monkeypatch.setattr("gtp_variants.site.access.logins._AT_ACCOUNT", 3.0)
        monkeypatch.setattr("gtp_variants.site.access.logins._AT_ACCOUNT_A_SECOND", 0.0)
        async with serving(tmp_path) as server:
            owner = await Client("alpha").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            opened = server.lobby.entrance.open_account

            async def guess(network: str, password: str = "roses-1") -> str:
                try:
                    return (await opened("alpha", password, network, "bot")).name
                except Refused as error:
                    return error.answer

            refused = "too many wrong passwords for this account; come back in some minutes"
            told = [await guess(f"192.0.2.{number}") for number in range(5)]
            assert told == ["Sorry, password doesn't match"] * 3 + [refused] * 2
            assert await owner.until("info") == "info 3 wrong passwords were given for your account"
            # The right password is no way to find out that it is right, except from where it was right before.
            assert await guess("192.0.2.9", "secret") == refused
            assert await guess("127.0.0.1", "secret") == "alpha"
            assert [await guess("127.0.0.1") for _ in range(4)] == ["Sorry, password doesn't match"] * 3 + [refused]

    run(test())


def test_a_player_with_a_game_in_progress_is_let_in_beyond_the_limit_of_the_account(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def test() -> None:
        monkeypatch.setattr("gtp_variants.site.access.logins._AT_ACCOUNT", 1.0)
        monkeypatch.setattr("gtp_variants.site.access.logins._AT_ACCOUNT_A_SECOND", 0.0)
        limits = GuessLimits()
        for plays, is_suspect in ((False, False), (True, True)):
            async with limits.charge("alpha", "192.0.2.1", plays=plays) as guess:
                assert guess.is_suspect == is_suspect
        with pytest.raises(Refused, match="for this account"):
            async with limits.charge("alpha", "192.0.2.1", plays=False):
                pass

    asyncio.run(test())


@pytest.mark.parametrize("name", ["admin", "All", "guest-abc", "Guest", "guest.abc", "Ad.min_", "ROOT-"])
def test_names_that_could_be_taken_for_others_are_refused(name: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            told = await (await Client(name).come(server.port)).until("Error")
            assert told.startswith("Error: user name: ")
            assert server.store.accounts.find(name) is None

    run(test())


def test_login_with_a_password_that_is_changed_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            accounts, changed = server.store.accounts, hash_password("roses-1")
            accounts.write(Account("alpha", hash_password("tulips")))

            def slowly(kept: str, password: str) -> bool:
                accounts.write(Account("alpha", changed))
                return fits(kept, password)

            monkeypatch.setattr("gtp_variants.site.access.logins.fits", slowly)
            early = await Client("alpha", password="tulips").come(server.port)
            assert "has just been changed" in await early.until("Error")
            monkeypatch.undo()
            await Client("alpha", password="roses-1").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            wrong = await Client("alpha", password="tulips").come(server.port)
            assert (await wrong.until("Error")).endswith("match")

    run(test())


def test_a_crowd_makes_room_for_one_of_elsewhere() -> None:
    gate = Gate(ConnectionLimits(half_open=10))
    sent: list[int] = []
    crowd = [Arrival("203.0.113.7", lambda why, n=n: sent.append(n)) for n in range(30)]  # type: ignore[misc]
    other = Arrival("198.51.100.1", lambda why: sent.append(-1))
    gate.enter(other)
    crowd[0].is_busy = True
    for arrival in crowd:
        gate.enter(arrival)
    # The oldest of the crowd went, but for the one that the server has to answer.
    assert sent == list(range(1, 22))
    assert gate.half_open == 10
    gate.leave(other)
    gate.leave(other)
    assert gate.half_open == 9


def test_a_crowd_that_is_answered_throughout_locks_out_itself_alone() -> None:
    gate = Gate(ConnectionLimits(half_open=3))
    sent: list[str] = []

    def arrive(name: str, network: str) -> None:
        gate.enter(Arrival(network, lambda why: sent.append(name), is_busy=True))

    for number in range(4):
        arrive(f"school {number}", "203.0.113.7")
    arrive("elsewhere", "198.51.100.1")
    arrive("a third", "192.0.2.1")
    # Their own find no room; for others the one that has waited least goes, while they are the most.
    assert sent == ["school 3", "school 2", "school 1"]
    arrive("a fourth", "192.0.2.2")
    assert sent[3:] == ["a fourth"]
    assert gate.half_open == 3


def test_active_connections_outlast_waiting_ones() -> None:
    """Unless a network holds more than half of all places: then nobody else makes room for it."""
    sent: list[str] = []

    def arrive(gate: Gate, network: str, is_busy: bool = False) -> None:
        gate.enter(Arrival(network, lambda why: sent.append(network), is_busy=is_busy))

    wide = Gate(ConnectionLimits(half_open=8))
    for _ in range(3):
        arrive(wide, "home", is_busy=True)
    for number in range(7):
        arrive(wide, f"idle {number}")
    assert sent == ["idle 0", "idle 1"]
    sent.clear()
    narrow = Gate(ConnectionLimits(half_open=8))
    for _ in range(5):
        arrive(narrow, "home", is_busy=True)
    for number in range(4):
        arrive(narrow, f"idle {number}")
    assert sent == ["home"]
    sent.clear()
    single = Gate(ConnectionLimits(half_open=2))
    arrive(single, "busy", is_busy=True)
    arrive(single, "idle")
    arrive(single, "new", is_busy=True)
    assert sent == ["idle"]


def test_addresses_are_those_of_networks() -> None:
    assert plain_address("::ffff:203.0.113.7") == "203.0.113.7"
    assert plain_address("fe80::1%eth0") == "fe80::1"
    assert network_of("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64"
    assert network_of("203.0.113.7") == "203.0.113.7"


def test_faults_of_an_address_close_the_door_to_it_and_to_nobody_else() -> None:
    gate = Gate(ConnectionLimits(faults_at_once=5, faults_a_second=0.0), {"198.51.100.9"}.__contains__)
    for _ in range(5):
        assert not gate.refuses("203.0.113.7")
        gate.note_fault("203.0.113.7")
        gate.note_fault("127.0.0.1")
    assert gate.refuses("203.0.113.7")
    assert not gate.refuses("203.0.113.8")
    assert not gate.refuses("127.0.0.1")
    assert gate.refuses("198.51.100.9")


def test_refused_connections_wait_and_the_oldest_is_closed() -> None:
    gone = list[str]()
    waiting = Tarpit[str](10.0, 2, gone.append)
    for now_s, name in enumerate(("alpha", "bravo", "carol")):
        waiting.add(name, float(now_s))
    assert (gone, len(waiting)) == (["alpha"], 2)
    waiting.release(10.9)
    assert gone == ["alpha"]
    waiting.release(11.0)
    assert (gone, len(waiting)) == (["alpha", "bravo"], 1)


def test_refused_connections_are_unread_and_closed_late(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(unheard=1, unheard_s=3600.0)) as server:
            server.lobby.bans.add("127.0.0.1", 3600.0)
            metrics = server.lobby.metrics
            first, second = await Client("alpha").connect(server.port), await Client("bravo").connect(server.port)
            # For the second one the first makes room.
            assert await first.read() == ""
            assert "refused_connections_total 2\n" in metrics.write()
            assert "unheard_connections 1\n" in metrics.write()
            server.lobby.bans.add("127.0.0.1", 0.0)
            third = await Client("carol").come(server.port)
            await until(lambda: "carol" in server.lobby.guests, "the login")
            assert not server.listener.gate.half_open
            third.cut()
        assert await second.read() == ""

    run(test())


def test_a_known_password_needs_no_slow_hash_until_it_changes(tmp_path: Path) -> None:
    checks = PasswordChecks(load_key(tmp_path / "session.key"))
    assert checks.recognise("alpha", "scrypt 1 2 3 aa bb", "tulips") is None
    checks.remember("Alpha", "scrypt 1 2 3 aa bb", "tulips")
    assert [checks.recognise("ALPHA", "scrypt 1 2 3 aa bb", word) for word in ("tulips", "roses")] == [True, False]
    # A password that was changed meanwhile is looked at anew.
    assert checks.recognise("alpha", "scrypt 1 2 3 aa cc", "tulips") is None


def test_players_whose_game_is_on_come_into_a_full_server(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, players=3, reserved=1) as server:
            clients = await two_at_play(server)
            late = await Client("charlie").come(server.port)
            assert await late.until("Error") == "Error: the server is full; come back later"
            clients[0].cut()
            await until(lambda: "alpha" not in server.lobby.guests, "the cut")
            await Client("delta").come(server.port)
            await until(lambda: "delta" in server.lobby.guests, "the login")
            await (await Client("Alpha").come(server.port)).until("setup 1 ")

    run(test())


def make_certificate(folder: Path) -> tuple[Path, Path]:
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


def test_lines_may_be_encrypted_and_a_renewed_certificate_is_used(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)
    said: list[str] = []

    async def connect(port: int, trusted: Path) -> bytes:
        context = ssl.create_default_context(cafile=str(trusted))
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        line = await reader.readline()
        writer.close()
        return line

    async def test() -> None:
        certificate = Certificate(cert, key)
        async with serving(tmp_path) as server:
            port = await server.listener.open("127.0.0.1", 0, certificate.context)
            assert await connect(port, cert) == b"protocol variants agreements\n"
            # Who hangs before there is a line has no room for ever.
            hung = await Client("hung").connect(port)
            await until(lambda: server.listener.gate.half_open > 0, "the connection")
            hung.cut()
            first = cert.read_bytes()
            make_certificate(tmp_path)
            certificate.reload(said.append)
            assert await connect(port, cert) == b"protocol variants agreements\n"
            (tmp_path / "old.pem").write_bytes(first)
            with pytest.raises(ssl.SSLError):
                await connect(port, tmp_path / "old.pem")
            key.write_text("none", encoding="ascii")
            certificate.reload(said.append)
            assert "the old certificate stays" in said[-1]
            assert await connect(port, cert) == b"protocol variants agreements\n"

    run(test())
    with pytest.raises(ConfigError, match="cannot be used"):
        Certificate(tmp_path / "nothing.pem", None)


def test_unfinished_tls_handshakes_are_displaced(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path)

    async def test() -> None:
        async with serving(tmp_path, limits=ConnectionLimits(half_open=4)) as server:
            port = await server.listener.open("127.0.0.1", 0, Certificate(cert, key).context)
            hung = [await Client("hung").connect(port) for _ in range(9)]
            for client in hung[:5]:
                assert await client.read() == ""
            assert len(server.listener.connections) == 4

    run(test())


@pytest.mark.parametrize(
    ("banned", "address"),
    [
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::2"),
        ("2001:db8:0:0::/64", "2001:db8::5"),
        ("2001:db8::5%eth0", "2001:db8::5"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("192.0.2.1", "192.0.2.1"),
    ],
)
def test_a_ban_is_of_an_address_however_it_is_written(tmp_path: Path, banned: str, address: str) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    bans = Bans(store.accounts)
    bans.add(banned, 3600.0, "it floods")
    assert bans.why(address) == Bans(store.accounts).why(address) == "it floods"
    assert bans.why("2001:db9::1") is None
    bans.add(address, 0.0)
    assert bans.why(banned) is None
    assert store.accounts.bans() == {}
    store.close()


def test_bans_of_older_versions_are_those_of_their_addresses_and_can_be_lifted(tmp_path: Path) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    for whom in ("2001:DB8:0:0::1", "10.0.0.0/8", "Alpha"):
        store.accounts.write_ban(whom, time.time() + 3600, "it floods")
    assert Bans(store.accounts).why("2001:db8::2") == "it floods"
    # Of two that are one network now the longer holds.
    store.accounts.write_ban("2001:db8::7", time.time() + 60, "briefly")
    store.accounts.write_ban("2001:db8::8", time.time() - 60, "no more")
    assert Bans(store.accounts).why("2001:db8::2") == Bans(store.accounts).why("2001:db8::2") == "it floods"
    bans = Bans(store.accounts)
    assert [whom for whom, _, _ in bans.items()] == ["10.0.0.0/8", "2001:db8::/64", "alpha"]
    for whom, _, _ in bans.items():
        bans.add(whom, 0.0)
    assert store.accounts.bans() == {}
    store.close()


@pytest.mark.parametrize("whom", ["10.0.0.0/8", "10.0.0.1/64", "2001:db8::/32", "300.1.1.1", "10.0.0", "a/b", ""])
def test_a_ban_that_would_reach_nobody_is_refused(tmp_path: Path, whom: str) -> None:
    store = SiteStore(tmp_path / "server.sqlite3")
    with pytest.raises(Refused, match="expected a name, an address, or a network of IPv6 such as"):
        Bans(store.accounts).add(whom, 3600.0)
    assert store.accounts.bans() == {}
    store.close()


def test_bans_outlive_the_server_and_end(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            server.lobby.bans.add("Alpha", 3600.0, "it floods")
            alpha = await Client("alpha").come(server.port)
            assert await alpha.until("Error") == "Error: this account is banned: it floods"
        async with serving(tmp_path, limits=ConnectionLimits(unheard=0)) as server:
            server.lobby.bans.add("127.0.0.1", 3600.0)
            assert await (await Client("bravo").connect(server.port)).read() == ""
            assert [whom for whom, _, _ in server.lobby.bans.items()] == ["127.0.0.1", "alpha"]
            server.lobby.bans.add("2001:db8::/64", 3600.0)
            assert server.listener.gate.refuses("2001:db8::17")
            assert not server.listener.gate.refuses("2001:db9::17")
            for whom in ("127.0.0.1", "ALPHA", "2001:db8::/64"):
                server.lobby.bans.add(whom, 0.0)
            await Client("alpha").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")

    run(test())
    store = SiteStore(tmp_path / "server.sqlite3")
    assert store.accounts.bans() == {}
    store.close()


@pytest.mark.slow
def test_bots_come_in_and_back_among_hostile_connections(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    sizes = ["--bots", "16", "--hostile", "24", "--rate", "40", "--seconds", "1", "--only", "hostile"]
    # However busy the computer is, the bots come in and move at last.
    patience = ["--patience", "600", "--json", str(figures)]
    subprocess.run([sys.executable, "-m", "benchmarks.servers.public_server", *sizes, *patience], cwd=ROOT, check=True)
    found = json.loads(figures.read_text(encoding="utf-8"))["hostile"]
    assert (found["logged in"], found["seated"], found["back"], found["refused bots"]) == (16, 16, 16, 0)
    assert found["moves/s"] > 0
