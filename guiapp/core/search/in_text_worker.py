"""A process that looks for a regular expression in a text; it can be ended when that takes for ever.

Reads a request from standard input, writes where matches begin and end to standard output, as int64.
"""

from __future__ import annotations

import re
import sys
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.editing.character_starts import decode

HEAD_BYTES = 24


def request(expression: str, matches_case: bool, most: int, text: bytes) -> bytes:
    """What the process is to be told; it ends behind `most` matches and one."""
    pattern = expression.encode("utf-8", "surrogatepass")
    return np.array([len(pattern), matches_case, most], np.int64).tobytes() + pattern + text


def places(message: bytes) -> NDArray[np.int64]:
    """int64[k, 2]: the byte spans of the matches, without empty ones; ^ and $ are the ends of lines."""
    n_pattern, matches_case, most = np.frombuffer(message[:HEAD_BYTES], np.int64).tolist()
    behind = HEAD_BYTES + n_pattern
    flags = re.MULTILINE | (re.NOFLAG if matches_case else re.IGNORECASE)
    pattern = re.compile(message[HEAD_BYTES:behind].decode("utf-8", "surrogatepass"), flags)
    text = decode(message[behind:])
    spans = (match.span() for match in pattern.finditer(text))
    found = list(islice((span for span in spans if span[0] < span[1]), most + 1))
    return _byte_offsets(text)[np.array(found, np.int64).reshape(-1, 2)]


def _byte_offsets(text: str) -> NDArray[np.int64]:
    """Where each character begins in bytes, and where the last one ends."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    sizes[(points >= 0xDC80) & (points <= 0xDCFF)] = 1  # a byte that is no UTF-8
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))


if __name__ == "__main__":
    sys.stdout.buffer.write(places(sys.stdin.buffer.read()).tobytes())
