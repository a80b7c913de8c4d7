"""The server over real sockets: logins, games, cuts, restarts, and what hostile clients do."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from gtp_variants.base.connection_gate import ConnectionLimits
from gtp_variants.records.files import load_record
from gtp_variants.records.json import from_json
from gtp_variants.rules import AS_IT_STANDS, parse
from tests.site.lobby.servers import Client, run, serving
from tests.support.waiting import until


def test_two_clients_of_cgos_play_go(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5", "go:size=5,komi=0.5") as server:
            alpha = await Client("alpha").come(server.port)
            bravo = await Client("bravo").come(server.port)
            setup = (await alpha.until("setup")).split()
            assert setup[2:5] == ["5", "0.5", "600000"]
            assert (await bravo.until("setup")).split() == setup
            white = setup[5].partition("(")[0]
            black, white_one = (bravo, alpha) if white == "alpha" else (alpha, bravo)
            assert (await black.until("genmove")).split()[:2] == ["genmove", "b"]
            black.type("c3 {}")
            assert (await white_one.until("play")).split()[:3] == ["play", "b", "C3"]
            await white_one.until("genmove w")
            white_one.type("PASS")
            await black.until("genmove b")
            black.type("pass")
            for client in (black, white_one):
                assert (await client.until("gameover")).split()[2] == "B+24.5"
                client.type("ready")
            for client in (black, white_one):
                await client.until("setup 2")
            # Nothing but the words of CGOS.
            heard = {line.split()[0] for client in (alpha, bravo) for line in client.lines[3:]}
            assert heard <= {"setup", "genmove", "play", "gameover"}
            record = load_record(server.records()[0])
            assert record.result == "B+24.5"
            assert record.players == {1: black.name, 2: white_one.name}

    run(test())


def test_a_client_of_cgos_is_paired_only_for_what_its_setup_tells(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "go:size=5,repetition=simple", "alter-igo:width=5,height=4") as server:
            plain = [await Client(name).come(server.port) for name in ("alpha", "bravo")]
            for client in plain:
                assert "offers no game that your client can play" in await client.until("info")
            await until(lambda: sum("can play no game" in line for line in server.log) == 2, "the log")
            spec = parse("go:size=5,repetition=simple", AS_IT_STANDS).spec
            untold = f"is not paired for {spec}: CGOS has no words for "
            assert f"alpha {untold}repetition=simple" in server.log
            knowing = [await Client(name, "go").come(server.port) for name in ("charlie", "delta")]
            for client in knowing:
                assert "repetition=simple" in await client.until("variant 1 ")
            assert len(server.lobby.running) == 1
            # Who comes back without the word does not get the game either.
            spy = await Client("charlie").come(server.port)
            assert "needs a client that says `variants`" in await spy.until("Error")

    run(test())


def test_go_fantome_tells_each_seat_its_news(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5") as server:
            one = await Client("alpha", "phantom").come(server.port)
            other = await Client("bravo", "phantom").come(server.port)
            opening = (await one.until("variant")).split()
            assert opening[3].startswith("phantom:size=5")
            black, white = (one, other) if opening[2] == "b" else (other, one)
            await black.until("genmove b")
            black.type("C3")
            assert await black.until("hear") == "hear b C3"
            assert await white.until("hear") == "hear b ?"
            await white.until("genmove w")
            white.type("c3")
            assert await white.until("hear") == "hear w refused C3"
            assert await black.until("hear") == "hear w refused ?"
            await white.until("genmove w")
            # A lost line: all news come again before the game is set up.
            white.cut()
            back = await Client(white.name, "phantom").come(server.port)
            assert (await back.read()).startswith("variant 1 w phantom")
            assert [await back.read(), await back.read()] == ["hear b ?", "hear w refused C3"]
            assert (await back.read()).startswith("setup 1 5 ")
            await back.until("genmove w")
            back.type("resign")
            record = from_json((await black.until("record")).partition(" ")[2])
            assert (await black.until("gameover")).split()[2] == "B+Resign"
            assert [(event.actor, event.action >= 0) for event in record.game.events][:2] == [(1, True), (2, True)]
            assert not [
                line
                for line in back.lines + white.lines
                if " C3" in line and "refused" not in line and "record" not in line
            ]

    run(test())


def test_a_restart_in_the_middle_of_a_game(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5") as server:
            clients = [await Client(name, "aleago").come(server.port) for name in ("alpha", "bravo")]
            seat = (await clients[0].until("variant")).split()[2]
            black, white = clients if seat == "b" else reversed(clients)
            draw = await black.until("draw 1 b")
            await black.until("genmove b")
            await white.until("setup")
            black.type("pass")
            second = await white.until("draw 2 w")
            await white.until("genmove w")
        async with serving(tmp_path, "aleago:size=5") as server:
            again = await Client(white.name, "aleago").come(server.port)
            await again.until("variant 1 w aleago")
            assert [await again.read(), await again.read()] == [draw, second]
            assert (await again.read()).startswith("play b pass ")
            await again.until("genmove w")
            # The other one may come later.
            again.type("resign")
            await again.until("gameover")
            assert load_record(server.records()[0]).result == "B+R"

    run(test())


@pytest.mark.slow
def test_the_newest_login_counts_and_a_wrong_password_does_not(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            old = await Client("alpha").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            wrong = await Client("Alpha", password="another").come(server.port)
            assert await wrong.until("Error") == "Error: Sorry, password doesn't match"
            assert await wrong.read() == ""
            new = await Client("alpha", password="secret better").come(server.port)
            assert "another login" in await old.until("info")
            assert await old.read() == ""
            bravo = await Client("bravo").come(server.port)
            await new.until("setup")
            await bravo.until("setup")
            assert (await (await Client("alpha").come(server.port)).until("Error")).endswith("match")
            await Client("alpha", password="better").come(server.port)
            assert "another login" in await new.until("info")
            assert "secret" not in "".join(server.log)
            assert "better" not in "".join(server.log)
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
        assert b"better" not in kept

    run(test())


def test_a_player_who_does_not_move_loses_on_time(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, level_s=0.3) as server:
            alpha = await Client("alpha").come(server.port)
            bravo = await Client("bravo").come(server.port)
            assert (await alpha.until("gameover")).split()[2] == "W+Time"
            assert (await bravo.until("gameover")).split()[2] == "W+Time"
            assert not server.lobby.running

    run(test())


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "Error: invalid response"),
        (b"v2 viewer\n", "Error: invalid response"),
        (b"e1 x\n1a\n", "Error: user name"),
        (b"e1 x\nalpha\n  \n", "Error: password"),
        (b"e1 x\n" + b"x" * 100_000, "Error: a line of over 16384 bytes"),
        (b"\xff\xfe\x00\n", "Error: invalid response"),
    ],
)
def test_hostile_beginnings_are_refused_with_a_reason(tmp_path: Path, sent: bytes, said: str) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            client = await Client("alpha").connect(server.port)
            client.send(sent)
            assert (await client.until("Error")).startswith(said)
            assert await client.read() == ""
            # Others are not disturbed.
            await Client("bravo").come(server.port)

    run(test())


def test_floods_and_crowds_are_kept_out(tmp_path: Path) -> None:
    async def test() -> None:
        limits = ConnectionLimits(lines_at_once=30, lines_a_second=1, half_open=5, login_s=600)
        async with serving(tmp_path, limits=limits) as server:
            flood = await Client("alpha").come(server.port)
            await until(lambda: "alpha" in server.lobby.guests, "the login")
            flood.send(b"noise\n" * 100)
            assert await flood.until("Error") == "Error: too many lines"
            idle = [await Client("idle").connect(server.port) for _ in range(7)]
            # The oldest made room.
            for client in idle[:2]:
                assert await client.until("Error") == "Error: too many connections; come back later"
            for client in idle[2:]:
                assert await client.read() == "protocol variants agreements"
                client.cut()
            server.listener.limits = replace(limits, login_s=0.1)
            late = await Client("idle").connect(server.port)
            assert await late.until("Error") == "Error: nobody logged in in time"
            server.listener.limits = limits
            bravo = await Client("bravo").come(server.port)
            charlie = await Client("charlie").come(server.port)
            await bravo.until("setup")
            await charlie.until("setup")

    run(test())


def test_moves_that_nobody_asked_for_are_not_read(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            alpha = await Client("alpha").come(server.port)
            alpha.type("c3")
            alpha.type("ready")
            bravo = await Client("bravo").come(server.port)
            white = (await alpha.until("setup")).split()[5].partition("(")[0]
            first, second = (bravo, alpha) if white == "alpha" else (alpha, bravo)
            second.type("c3")
            await first.until("genmove b")
            first.type("d4")
            first.type("e4")
            assert (await second.until("play")).split()[2] == "D4"
            await second.until("genmove w")
            second.type("e4")
            assert (await first.until("play")).split()[2] == "E4"
            await first.until("genmove b")
            first.type("resign")
            await second.until("gameover")

    run(test())


def test_half_a_line_is_no_move(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            clients = {name: await Client(name).come(server.port) for name in ("alpha", "bravo")}
            white = (await clients["alpha"].until("setup")).split()[5].partition("(")[0]
            black = "bravo" if white == "alpha" else "alpha"
            await clients[black].until("genmove b")
            clients[black].send(b"res")
            clients[black].cut()
            again = await Client(black).come(server.port)
            assert len((await again.until("setup")).split()) == 7
            await again.until("genmove b")
            for byte in b"c3\r\n":
                again.send(bytes([byte]))
                await asyncio.sleep(0)
            assert (await clients[white].until("play")).split()[2] == "C3"

    run(test())
