"""Viewers of the line protocol: CGOS's and ours, and the facts hidden from both."""

from pathlib import Path

from gtp_variants.records.json import from_json
from tests.site.lobby.servers import Client, Server, run, serving
from tests.support.waiting import until


async def viewer(server: Server, word: str = "") -> Client:
    found = await Client("viewer").connect(server.port)
    assert await found.read() == "protocol variants agreements"
    found.type(f"v1 test/1 {word}".strip())
    return found


async def two_at_play(server: Server, games: str | None = None) -> dict[int, Client]:
    """Black and White of a game that is on."""
    clients = {name: await Client(name, games).come(server.port) for name in ("alpha", "bravo")}
    for client in clients.values():
        await client.until("setup")
    (game,) = server.lobby.running.values()
    return {colour: clients[name] for colour, name in game.names.items()}


def test_a_viewer_of_cgos_follows_a_game_of_go(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path) as server:
            early = await viewer(server)
            players = await two_at_play(server)
            black, white = players[1].name, players[2].name
            heading = f"5 7.5 {white}(1500?) {black}(1500?)"
            assert await early.read() == f"match 1 - - {heading} -"
            await players[1].until("genmove")
            players[1].type("c3")
            await players[2].until("genmove")
            late = await viewer(server)
            assert await late.read() == f"match 1 - - {heading} -"
            late.type("observe 1")
            assert (await late.read()).startswith(f"setup 1 - - {heading} 600000 C3 ")
            for watching in (early, late):
                watching.type("observe 7")
                assert (await watching.read()).startswith("info game 7 is not in progress")
            players[2].type("d4")
            assert (await late.read()).startswith("update 1 D4 ")
            await players[1].until("genmove")
            players[1].type("resign")
            assert await late.read() == "update 1 W+Resign"
            await until(lambda: bool(server.records()), "the record")
            again = (await (await viewer(server)).read()).split()
            assert [again[1], *again[4:]] == ["1", "5", "7.5", white, black, "W+Resign"]
            # The early one did not ask for the game.
            early.type("quit")
            assert await early.read() == ""

    run(test())


def test_variants_viewers_get_draws_and_the_record(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=5") as server:
            players = await two_at_play(server, "aleago")
            plain, full = await viewer(server), await viewer(server, "variants")
            assert (await full.read()).startswith("match 1 - - 5 ")
            for watching in (plain, full):
                watching.type("observe 1")
            # Without the word there is nothing of a game that Go's words do not tell.
            assert (await plain.read()).startswith("info game 1 is not in progress or cannot be watched")
            opening = (await full.read()).split()
            assert (opening[:2], opening[2].startswith("aleago:size=5"), len(opening[3])) == (
                ["variant", "1"],
                True,
                64,
            )
            assert (await full.read()).startswith("draw 1 1 b ")
            assert (await full.read()).startswith("setup 1 - - 5 ")
            await players[1].until("genmove")
            players[1].type("pass")
            assert (await full.read()).startswith("draw 1 2 w ")
            assert (await full.read()).startswith("update 1 pass ")
            await players[2].until("genmove")
            players[2].type("resign")
            word, number, text = (await full.read()).split(maxsplit=2)
            assert (word, number, from_json(text).secret is not None) == ("record", "1", True)
            assert await full.read() == "update 1 B+Resign"

    run(test())


def test_a_hidden_game_has_no_viewers(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "phantom:size=5") as server:
            players = await two_at_play(server, "phantom")
            watching = await viewer(server, "variants")
            watching.type("observe 1")
            assert "cannot be watched" in await watching.read()
            await players[1].until("genmove")
            players[1].type("C3")
            await players[2].until("genmove")
            players[2].type("resign")
            await players[1].until("gameover")
            late = await viewer(server, "variants")
            late.type("observe 1")
            assert "is not in progress" in await late.until("info")
            assert "C3" not in "".join(watching.lines + late.lines)

    run(test())


def test_viewers_are_counted_and_their_seats_are_free_when_they_leave(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, viewers=3, viewers_from_one_address=2) as server:
            first = await viewer(server)
            await viewer(server)
            late = await viewer(server)
            assert await late.until("Error") == "Error: too many viewers; come back later"
            first.cut()
            await until(lambda: "viewers 1\n" in server.lobby.metrics.write(), "the cut")
            await viewer(server)
            await until(lambda: "viewers 2\n" in server.lobby.metrics.write(), "the viewer")
            # They are no players, and their connections are none that have not logged in.
            assert server.listener.gate.half_open == 0
            assert not server.lobby.guests

    run(test())
