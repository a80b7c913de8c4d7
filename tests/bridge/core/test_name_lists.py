"""Web servers' answers to a request for a list of names."""

import socket
from pathlib import Path
from threading import Thread

import pytest

from gtp_variants.bridge.core.account import NameList


@pytest.mark.parametrize(
    "answer",
    [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc\n", b"HTTP/1.1 500 No\r\n\r\n", b""],
)
async def test_an_incomplete_list_keeps_the_old_one(answer: bytes) -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            with line:
                line.recv(4096)
                line.sendall(answer)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        names = NameList(f"http://127.0.0.1:{server.getsockname()[1]}/", said.append)
        names.names = ("kept",)
        await names.refresh()
        thread.join()
    assert names.names == ("kept",)
    assert "names unchanged" in said[0]


async def test_a_list_may_begin_with_a_mark_of_its_bytes(tmp_path: Path) -> None:
    """As editors on Windows write it: the first name is a name like the others."""
    file = tmp_path / "rude.txt"
    file.write_text("mallory\noscar\n", encoding="utf-8-sig")
    names = NameList(str(file), print)
    await names.refresh()
    assert names.names == ("mallory", "oscar")


async def test_a_list_in_a_home_that_is_not_there_stays_as_it_was() -> None:
    said: list[str] = []
    await NameList("~nobody-here/rude.txt", said.append).refresh()
    assert said == [
        "~nobody-here/rude.txt: names unchanged: ~nobody-here/rude.txt: there is no home folder for ~nobody-here"
    ]
