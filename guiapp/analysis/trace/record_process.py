"""A process that records traces for the window: plain Python would make the window's own process stutter.

Requests come as JSON lines on standard input, and the newest one wins; progress and results go as JSON
lines to standard output, traces as files.  Ends when its input does.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from guiapp.analysis.trace.recorder import record
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.errors import TokenloupeError


@dataclass(frozen=True)
class RecordRequest:
    """What to record; `number` goes up from request to request, -1 for `model` asks for nothing."""

    number: int
    model: str
    pre: str
    text_file: str
    encoder: str
    add_special: bool
    parse_special: bool
    output: str

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


class NewerRequestError(Exception):
    """There is a newer request."""


class Server:
    """Takes requests from standard input in a thread of its own and works on the newest."""

    def __init__(self) -> None:
        self._newest: RecordRequest | None = None
        self._has_work = threading.Condition()
        self._is_over = False
        self._done = -1

    def read(self) -> None:
        for line in sys.stdin:
            with self._has_work:
                self._newest = RecordRequest(**json.loads(line))
                self._has_work.notify()
        with self._has_work:
            self._is_over = True
            self._has_work.notify()

    def serve(self) -> None:
        while (request := self._next()) is not None:
            if request.model:
                self._work(request)

    def _next(self) -> RecordRequest | None:
        """The newest request that was not worked on, once there is one; None at the end."""
        with self._has_work:
            self._has_work.wait_for(lambda: self._is_over or self._number > self._done)
            self._done = self._number
            return None if self._is_over else self._newest

    @property
    def _number(self) -> int:
        return -1 if self._newest is None else self._newest.number

    def _work(self, request: RecordRequest) -> None:
        def progress(share: float) -> None:
            if self._number != request.number or self._is_over:
                raise NewerRequestError
            _send(number=request.number, progress=share)

        try:
            tokenizer = _open(request.model, request.pre)
            text = Path(request.text_file).read_bytes()
            switches = request.add_special, request.parse_special
            trace = record(tokenizer, text, request.encoder or None, *switches, progress=progress)
            trace.save(Path(request.output))
            _send(number=request.number, done=request.output)
        except NewerRequestError:
            return
        except TokenloupeError as error:
            _send(number=request.number, error=str(error))
        except OSError as error:
            _send(number=request.number, error=f"{request.output} cannot be written: {error.strerror}.")


@lru_cache(maxsize=2)
def _open(model: str, pre: str) -> Tokenizer:
    return open_model(model, pre or None)


def _send(**values: object) -> None:
    print(json.dumps(values), flush=True)


def main() -> None:
    server = Server()
    threading.Thread(target=server.read, daemon=True).start()
    server.serve()


if __name__ == "__main__":
    main()
