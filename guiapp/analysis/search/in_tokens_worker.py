"""A process that searches some tokens for one regular expression after another; it can be killed at any time.

Reads frames: first the tokens, then expressions.  Answers each: first with an empty frame, then with ids.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.processes import limit_memory, read_frame, write_frame

HEAD_BYTES = 8


def request(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> bytes:
    """The first frame: the number of offsets, the offsets, the bytes of the tokens."""
    return b"".join([np.int64(len(offsets)).tobytes(), offsets.tobytes(), data.tobytes()])


def tokens_of(message: bytes) -> list[str]:
    """The tokens of a request."""
    data_at = HEAD_BYTES + 8 * int(np.frombuffer(message[:HEAD_BYTES], np.int64)[0])
    offsets, data = np.frombuffer(message[HEAD_BYTES:data_at], np.int64).tolist(), message[data_at:]
    return [data[start:end].decode("utf-8", "surrogateescape") for start, end in pairwise(offsets)]


def matches(expression: bytes, tokens: list[str]) -> list[int]:
    """The ids of the tokens that an expression matches."""
    pattern = re.compile(expression.decode("utf-8", "surrogatepass"))
    return [token_id for token_id, token in enumerate(tokens) if pattern.search(token)]


def main() -> None:
    asked = read_frame(sys.stdin.buffer)
    if asked is None:
        return
    limit_memory(asked)
    tokens = tokens_of(asked)
    write_frame(sys.stdout.buffer, b"")
    while (expression := read_frame(sys.stdin.buffer)) is not None:
        write_frame(sys.stdout.buffer, np.array(matches(expression, tokens), np.int32).tobytes())


if __name__ == "__main__":
    main()
