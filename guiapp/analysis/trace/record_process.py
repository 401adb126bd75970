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
from queue import SimpleQueue

from guiapp.analysis.trace.recorder import record
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.errors import TokenloupeError


@dataclass(frozen=True)
class RecordRequest:
    """What to record; `number` goes up from request to request, "" for `model` asks for nothing.

    text  in UTF-8, bytes that are none as surrogates
    """

    number: int
    model: str
    pre: str
    text: str
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
        self._requests = SimpleQueue[RecordRequest | None]()  # None at the end of the input

    def read(self) -> None:
        for line in sys.stdin:
            self._requests.put(RecordRequest(**json.loads(line)))
        self._requests.put(None)

    def serve(self) -> None:
        while (request := self._newest()) is not None:
            if request.model:
                self._work(request)

    def _newest(self) -> RecordRequest | None:
        request = self._requests.get()
        while not self._requests.empty():
            request = self._requests.get()
        return request

    def _work(self, request: RecordRequest) -> None:
        def progress(share: float) -> None:
            if not self._requests.empty():
                raise NewerRequestError
            _send(number=request.number, progress=share)

        try:
            tokenizer = _open(request.model, request.pre)
            text = request.text.encode("utf-8", "surrogateescape")
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
