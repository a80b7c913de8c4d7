"""HTTP for the serving side: signed JSON in POST requests, one thread a connection.

The standard library's server will do: a machine asks once a game, and whoever does not know the token gets no further
than its signature. TLS is left to a server before it, or a tunnel.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gtp_variants.arena.remote.messages import MAX_BYTES, SIGNATURE, decode, encode, is_signed, sign
from gtp_variants.errors import VariantsError
from gtp_variants.json_values import Json

# A connection that is silent for longer is closed.
_SILENCE_S = 60.0

Answer = Callable[[str, Json], Json]


@contextmanager
def listen(host: str, port: int, token: str, answer: Answer) -> Iterator[int]:
    """Answer requests at an address as long as the context lasts; the port, chosen by the system for port 0."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _SILENCE_S

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > MAX_BYTES:
                self.close_connection = True
                self._send(413, b"")
                return
            body, signature = self.rfile.read(int(length)), self.headers.get(SIGNATURE, "")
            if not is_signed(signature, token, self.path.encode(), body):
                self._send(403, b"")
                return
            try:
                found = encode(answer(self.path, decode(body)))
            except VariantsError as error:
                self._send(400, str(error).encode())
                return
            self._send(200, found, sign(token, signature.encode(), found))

        def _send(self, status: int, body: bytes, signature: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header(SIGNATURE, signature)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, form: str, *about: object) -> None:
            pass

    class MessageServer(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: object, client_address: object) -> None:
            """Connections break; whoever asked asks again."""

    with MessageServer((host, port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
