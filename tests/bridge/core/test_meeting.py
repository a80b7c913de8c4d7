"""The queue of challengers, and lists of names on web servers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gtp_variants.bridge.core.account import NameList, names_of
from gtp_variants.bridge.core.challenges import CALLED_S, ChallengeQueue
from tests.bridge.fakes.nngs_server import NngsServer
from tests.bridge.fakes.running_bridge import ACCOUNTS, Person, config_of, running
from tests.support.waiting import until


def test_a_line_is_first_come_first_served_and_a_place_is_kept() -> None:
    queue = ChallengeQueue(2)
    assert [queue.add(name) for name in ("alpha", "bravo", "Alpha", "carol")] == [1, 2, 1, None]
    assert queue.call(0.0) == "alpha"
    assert queue.must_wait("bravo", 1.0)
    assert not queue.must_wait("ALPHA", 1.0)
    assert not queue.must_wait("bravo", CALLED_S + 1)
    queue.remove("alpha")
    assert not queue.must_wait("carol", 1.0)
    assert queue.call(2.0) == "bravo"
    assert queue.call(3.0) is None


async def test_the_called_player_goes_before_other_challengers(tmp_path: Path) -> None:
    async with (
        NngsServer({**ACCOUNTS, "carol": "sesame"}) as server,
        running(config_of("nngs", server.port, tmp_path)) as bridge,
    ):
        alpha, bravo, carol = [await Person(server, name).come() for name in ("alpha", "bravo", "carol")]
        await alpha.begin()
        await until(lambda: bridge.session._games.find_with("alpha") is not None, "alpha's game")
        for number, person in enumerate((bravo, carol), 1):
            person.type("match botty b 5 10 0")
            await person.hears(f"You are number {number} in line")
        # Terms that nobody would play are refused as ever.
        carol.type("match botty b 19 10 0")
        await carol.hears("I do not play on size")
        alpha.type("resign")
        await bravo.hears("I am free now")
        carol.type("match botty b 5 10 0")
        await carol.hears("You are number 1 in line", 0)
        bravo.type("match botty b 5 10 0")
        await until(lambda: bridge.session._games.find_with("bravo") is not None, "bravo's game")
        bravo.type("resign")
        await carol.hears("I am free now")
        assert not bridge.session._challenges.queue._waiting
        for person in (alpha, bravo, carol):
            await person.go()


@contextmanager
def page(texts: list[str], asked: list[str | None]) -> Iterator[str]:
    """A page on the web whose text is each of these in turn, the same one unchanged if it is asked for by its tag."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tag = self.headers.get("If-None-Match")
            asked.append(tag)
            text = texts[0]
            if tag == f'"{text}"'.replace("\n", " "):
                self.send_response(304)
                self.end_headers()
                return
            self.send_response(200 if text else 500)
            self.send_header("ETag", f'"{text}"'.replace("\n", " "))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/names"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def test_a_list_on_the_web_is_asked_for_by_its_tag_and_stays_where_it_fails() -> None:
    texts, asked, notes = ["mallory\n"], list[str | None](), list[str]()
    with page(texts, asked) as url:
        names = NameList(url, notes.append)
        await names.refresh()
        await names.refresh()
        assert list(names.names) == ["mallory"]
        assert asked == [None, '"mallory "']
        for text, said in (("", "500"), ("<html>no such page</html>", "one name per line")):
            texts[0] = text
            await names.refresh()
            assert list(names.names) == ["mallory"]
            assert said in notes[-1]
        texts[0] = "mallory\ntrudy # rude\n"
        await names.refresh()
        assert list(names.names) == ["mallory", "trudy"]
    await names.refresh()
    assert list(names.names) == ["mallory", "trudy"]


def test_a_file_without_a_list_of_names_is_rejected() -> None:
    assert names_of("# bad people\n\n mallory \n") == ("mallory",)
    with pytest.raises(ValueError, match="one name per line"):
        names_of("two words\n")
    assert names_of("two words # a remark\nalpha\n", has_blanks=True) == ("two words", "alpha")
    for text in ("alpha, bravo\n", "<title>no such page</title>\n"):
        with pytest.raises(ValueError, match="one name per line"):
            names_of(text, has_blanks=True)


async def test_a_block_list_applies_until_a_name_is_removed(tmp_path: Path) -> None:
    listed = tmp_path / "blocked"
    listed.write_text("Alpha  # left every game\n")
    more = f"challenges: {{block_lists: ['{listed}'], refresh: 50ms}}\n"
    async with NngsServer(ACCOUNTS) as server, running(config_of("nngs", server.port, tmp_path, more)) as bridge:
        person = await Person(server, "alpha").come()
        settings = bridge.session._account.settings
        await until(lambda: server.is_ready("botty") and "Alpha" in settings.config.challenges.block, "the list")
        person.type("match botty b 5 10 0")
        await person.hears("botty declines")
        listed.write_text("")
        await until(lambda: not settings.config.challenges.block, "the new list")
        person.type("match botty b 5 10 0")
        await until(lambda: server.match is not None, "the match")
        await person.go()
