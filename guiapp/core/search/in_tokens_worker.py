"""A process that tries a regular expression on every token; it can be ended when that takes for ever.

Reads a request from standard input, writes the ids of the tokens that match to standard output.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.system.processes import limit_memory

HEAD_BYTES = 16


def request(expression: str, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> bytes:
    """What the process is to be told: two lengths, the expression, the offsets, the bytes of the tokens."""
    pattern = expression.encode("utf-8", "surrogatepass")
    head = np.array([len(pattern), len(offsets)], np.int64)
    return b"".join([head.tobytes(), pattern, offsets.tobytes(), data.tobytes()])


def matches(message: bytes) -> list[int]:
    """The ids of the tokens that the expression of a request matches."""
    expression, tokens = decoded(message)
    return matching(re.compile(expression), tokens)


def matching(pattern: re.Pattern[str], tokens: Iterable[str]) -> list[int]:
    """The numbers of those that match."""
    return [number for number, token in enumerate(tokens) if pattern.search(token)]


def decoded(message: bytes) -> tuple[str, list[str]]:
    """The expression of a request, and its tokens."""
    n_pattern, n_offsets = np.frombuffer(message[:HEAD_BYTES], np.int64).tolist()
    expression = message[HEAD_BYTES : HEAD_BYTES + n_pattern].decode("utf-8", "surrogatepass")
    begin = HEAD_BYTES + n_pattern
    offsets = np.frombuffer(message[begin : begin + 8 * n_offsets], np.int64).tolist()
    data = message[begin + 8 * n_offsets :]
    return expression, [
        data[start:end].decode("utf-8", "surrogateescape") for start, end in pairwise(offsets)
    ]


if __name__ == "__main__":
    asked = sys.stdin.buffer.read()
    limit_memory(asked)
    sys.stdout.buffer.write(np.array(matches(asked), np.int32).tobytes())
