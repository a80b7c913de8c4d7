"""A match whose games other machines play: who joins, who is late, who lies, and what travels between them."""

import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gtp_variants._version import __version__
from gtp_variants.arena.remote.http_server import listen
from gtp_variants.arena.remote.joined import JoinedMachine, ServerGone, ServingSide
from gtp_variants.arena.remote.messages import (
    HEARTBEAT,
    JOIN,
    LEASE,
    LEAVE,
    MAX_BYTES,
    RESULT,
    unpack_game,
    unpack_match,
    write_report,
)
from gtp_variants.arena.remote.serving import GameServer
from gtp_variants.arena.result_row import FinishedGame
from gtp_variants.arena.run.pool import Feed
from gtp_variants.arena.schedule import Fixture
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.json_values import Json
from tests.arena.remote.lending import fixtures, match_of, play


class Serving:
    """A serving side whose games a thread takes, as a match does."""

    def __init__(self, games: list[Fixture], term_s: float = 60.0) -> None:
        self.said: list[str] = []
        self.server = GameServer(match_of(), self.said.append, term_s=term_s)
        self.finished: list[FinishedGame] = []
        waiting = iter(games)
        self.thread = threading.Thread(target=self._keep, args=(lambda: next(waiting, None),), daemon=True)
        self.thread.start()

    def _keep(self, feed: Feed) -> None:
        self.finished.extend(self.server.games(feed))

    def join(self, name: str) -> "Member":
        return Member(self.server, name)


class Member:
    """A machine that joined, in this process."""

    def __init__(self, server: GameServer, name: str) -> None:
        self.server = server
        answer = server.answer(JOIN, {"version": __version__, "name": name})
        self.word = answer["machine"]

    def ask(self, address: str, **message: object) -> Json:
        return self.server.answer(address, {"machine": self.word, **message})

    def take(self) -> tuple[str, Fixture]:
        """A lease and its game, as soon as there is one."""
        while (answer := self.ask(LEASE))["state"] == "wait":
            threading.Event().wait(0.01)
        return answer["lease"], unpack_game(answer["game"])

    def hand_in(self, lease: str, game: FinishedGame) -> str:
        return str(self.ask(RESULT, lease=lease, game=write_report(game))["state"])


def test_games_come_back_from_whoever_joined() -> None:
    games = fixtures()[:2]
    serving = Serving(games)
    one, other = serving.join("one"), serving.join("other")
    (lease, fixture), (another, second) = one.take(), other.take()
    game = play(fixture)
    assert one.hand_in(lease, game) == "kept"
    assert one.hand_in(lease, game) == "late"
    assert one.ask(HEARTBEAT)["state"] == "known"
    assert other.hand_in(another, play(second)) == "kept"
    for member in (one, other):
        while member.ask(LEASE)["state"] == "wait":
            threading.Event().wait(0.01)
    serving.thread.join(10)
    assert sorted(each.row.id for each in serving.finished) == sorted(each.id for each in games)
    assert serving.server.tallies["one"].games == 1


def test_who_lies_is_sent_away_and_somebody_else_plays_its_games() -> None:
    serving = Serving(fixtures()[:2])
    liar, honest = serving.join("liar"), serving.join("honest")
    (lease, fixture), _ = liar.take(), liar.take()
    game = play(fixture)
    lie = replace(game, row=replace(game.row, kind="forfeit", failures=(("nobody", "time", ""),)))
    assert liar.hand_in(lease, lie) == "refused"
    assert liar.ask(LEASE) == {"state": "refused", "why": liar.ask(LEASE)["why"]}
    assert "liar was sent away, 2 games wait again" in serving.said[-1]
    for _ in range(2):
        lease, fixture = honest.take()
        assert honest.hand_in(lease, play(fixture)) == "kept"
    honest.ask(LEAVE)
    serving.thread.join(10)
    assert len(serving.finished) == 2


def test_who_has_another_version_may_not_join_and_strangers_are_nobody() -> None:
    serving = Serving(fixtures()[:1])
    assert serving.server.answer(JOIN, {"version": "0", "name": "old"})["state"] == "refused"
    assert serving.server.answer(LEASE, {"machine": "x"}) == {"state": "unknown"}


def test_the_seed_stays_here() -> None:
    answer = Serving(fixtures()[:1]).server.answer(JOIN, {"version": __version__, "name": "a"})
    assert unpack_match(answer["match"]).seed == ""


# -- over HTTP ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def address() -> Iterator[str]:
    with listen("127.0.0.1", 0, "token", lambda address, message: {"address": address, **message}) as port:
        yield f"http://127.0.0.1:{port}"


def test_who_knows_the_token_is_answered(address: str) -> None:
    assert ServingSide(address, "token", 1, print).ask("/x", {"a": 1}) == {"address": "/x", "a": 1}
    with pytest.raises(ConfigError, match="has another"):
        ServingSide(address, "other", 1, print).ask("/x", {})


@pytest.mark.parametrize(("length", "status"), [(None, 403), (str(MAX_BYTES + 1), 413), ("x", 413)])
def test_what_is_not_signed_is_not_read(address: str, length: str | None, status: int) -> None:
    headers = {} if length is None else {"Content-Length": length}
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(urllib.request.Request(f"{address}/lease", b"{}", headers), timeout=5)
    assert error.value.code == status
    error.value.close()


def test_a_serving_side_that_is_gone_is_waited_for_and_then_given_up() -> None:
    said: list[str] = []
    with pytest.raises(ServerGone):
        ServingSide("http://127.0.0.1:9", "token", 0, said.append).ask("/x", {})
    (line,) = said
    assert line.startswith("http://127.0.0.1:9 cannot be reached (")
    assert line.endswith("); trying for 0 s")


def test_half_an_answer_of_a_serving_side_that_was_killed_is_asked_for_again() -> None:
    """Also no answer in HTTP, as of another program at that port."""
    for answer in (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", b"SSH-2.0-OpenSSH_9.2\r\n"):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            there = threading.Thread(target=_answer_once, args=(listening, answer))
            there.start()
            with pytest.raises(ServerGone):
                ServingSide(f"http://127.0.0.1:{listening.getsockname()[1]}", "token", 0, print).ask("/x", {})
            there.join()


def _answer_once(listening: socket.socket, answer: bytes) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)


@pytest.mark.parametrize(
    "url", ["foo", "ftp://x", "http://", "http://x:abc", "http://x:99999", "http://[::1", "http://a b"]
)
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"expected http://HOST:PORT or https://HOST, not {url!r}")):
        ServingSide(url, "token", 0, print)


@pytest.mark.slow
def test_a_machine_plays_a_match_in_its_own_processes() -> None:
    serving = Serving(games := fixtures())
    with listen("127.0.0.1", 0, "token", serving.server.answer) as port:
        side = ServingSide(f"http://127.0.0.1:{port}", "token", 5, print)
        assert JoinedMachine(side, "here", 2, lambda text: None).play() == len(games)
        serving.thread.join(10)
    assert {each.row.id: each.row.fingerprint for each in serving.finished} == {
        each.id: play(each).row.fingerprint for each in games
    }


def test_who_plays_with_another_bot_may_not_join() -> None:
    serving = Serving(fixtures()[:1])

    def answer(address: str, message: Json) -> Json:
        found = serving.server.answer(address, message)
        return {**found, "players": {name: {**about, "version": "another"} for name, about in found["players"].items()}}

    with listen("127.0.0.1", 0, "token", answer) as port:
        machine = JoinedMachine(
            ServingSide(f"http://127.0.0.1:{port}", "token", 5, print), "here", 1, lambda text: None
        )
        with pytest.raises(VariantsError, match=r"players.mine: its version is .* here, 'another' there"):
            machine.play()
