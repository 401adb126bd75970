"""A process that searches a text for a regular expression; it can be killed if that takes too long.

Reads a request from standard input; writes the starts and ends of matches to standard output, as int64.
"""

from __future__ import annotations

import re
import sys
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.processes import limit_memory
from guiapp.core.text.normalized import code_points, decode, sizes_in_bytes

HEAD_BYTES = 24
BLOCK = 1 << 20  # characters


def request(expression: str, matches_case: bool, most: int, text: bytes) -> bytes:
    """The request for the process; it stops after `most` + 1 matches."""
    pattern = expression.encode("utf-8", "surrogatepass")
    return np.array([len(pattern), matches_case, most], np.int64).tobytes() + pattern + text


def match_spans(message: bytes) -> NDArray[np.int64]:
    """int64[k, 2]: the byte spans of the matches, without empty ones; ^ and $ match at line ends."""
    n_pattern, matches_case, most = np.frombuffer(message[:HEAD_BYTES], np.int64).tolist()
    after = HEAD_BYTES + n_pattern
    flags = re.MULTILINE | (re.NOFLAG if matches_case else re.IGNORECASE)
    pattern = re.compile(message[HEAD_BYTES:after].decode("utf-8", "surrogatepass"), flags)
    text = decode(message[after:])
    spans = (match.span() for match in pattern.finditer(text))
    found = chain.from_iterable(islice((span for span in spans if span[0] < span[1]), most + 1))
    return _in_bytes(text, np.fromiter(found, np.int64)).reshape(-1, 2)


def _in_bytes(text: str, ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    """Convert ascending character offsets to byte offsets; block by block, because texts are long."""
    offsets, before = np.empty_like(ascending), 0
    for first in range(0, len(text) + 1, BLOCK):
        sizes = sizes_in_bytes(code_points(text[first : first + BLOCK]))
        ends = np.concatenate(([before], before + np.cumsum(sizes)))
        here = slice(*np.searchsorted(ascending, (first, first + BLOCK)))
        offsets[here] = ends[ascending[here] - first]
        before = int(ends[-1])
    return offsets


if __name__ == "__main__":
    asked = sys.stdin.buffer.read()
    limit_memory(asked)
    sys.stdout.buffer.write(match_spans(asked).tobytes())
