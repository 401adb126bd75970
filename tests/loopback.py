"""A local web server with configurable answers that records its requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Handler = BaseHTTPRequestHandler
Answer = Callable[[Handler], None]


class Loopback(ThreadingHTTPServer):
    """Answers by path, else with a default; `asked` contains path and headers of each request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Answer] = {}
        self.default = status(404)
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def serves(self, path: str, answer: Answer) -> str:
        """Set the answer for a path; return its address."""
        self.answers[path] = answer
        return self.address + path

    def headers_of(self, path: str) -> list[dict[str, str]]:
        return [headers for asked, headers in self.asked if asked == path]

    def handle_error(self, request, client_address) -> None:
        """Ignore clients that disconnect early."""


class _Handler(BaseHTTPRequestHandler):
    server: Loopback

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        self.server.answers.get(self.path, self.server.default)(self)

    def log_message(self, *_arguments) -> None:
        pass


def file(data: bytes, etag: str = '"1"', has_ranges: bool = True, says_length: bool = True) -> Answer:
    """An answer with a file, as usual servers send it."""

    def answer(handler: Handler) -> None:
        if etag and handler.headers["If-None-Match"] == etag:
            status(304)(handler)
            return
        asked = handler.headers["Range"]
        start, end = 0, len(data)
        if asked and has_ranges:
            first, last = asked.removeprefix("bytes=").split("-")
            start, end = int(first), min(int(last) + 1, len(data))
            if start >= len(data):
                status(416)(handler)
                return
        handler.send_response(206 if asked and has_ranges else 200)
        if asked and has_ranges:
            handler.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        if etag:
            handler.send_header("ETag", etag)
        if says_length:
            handler.send_header("Content-Length", str(end - start))
        handler.end_headers()
        handler.wfile.write(data[start:end])

    return answer


def status(code: int, **headers: str) -> Answer:
    def answer(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def serving() -> Iterator[Loopback]:
    """A server that runs during the context."""
    with Loopback() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
