"""What web servers answer to whoever reads a list of names."""

import socket
from threading import Thread

import pytest

from gtp_variants.bridge.core.account.name_lists import NameList


@pytest.mark.parametrize(
    "answer",
    [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc\n", b"HTTP/1.1 500 No\r\n\r\n", b""],
)
async def test_what_is_no_whole_list_leaves_it_as_it_was(answer: bytes) -> None:
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
    assert "stays as it was" in said[0]
