"""The shorter prefixes that stand before the last piece of a prefix, and what all of their tokens add up to.

The tokens of a prefix are those of its *base*, which is a shorter prefix, and of its last piece.  Where
pieces lie otherwise than in any shorter prefix, the base is a *part*: a piece of its own behind another base.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.piece_growth import UNKNOWN

MOST_BEGUN = 3  # bytes of a character that is not complete
IN_PART = 5  # in place of a number of begun bytes: all tokens of the prefix are those of its base
NOT_ASKED = 1  # the same for what is no prefix: it ends no piece

# Of a part: where it begins and ends in the texts, how many U+FFFD are behind that, its base, after which
# prefix it was met, how sure it is one piece (0 or UNKNOWN), and where it ends once it is laid out.
PART = 7
FROM, TO, MORE, BEHIND, BORN, STATE, PLACE = range(PART)


class Growth(NamedTuple):
    """What is told of prefixes, by where in the texts they end, and of parts.

    origins  int64[n + 1]  of the last piece, or of more if that is not sure
    n_begun  uint8[n + 1]  0 if all from the origin on is one piece, UNKNOWN if that is not sure, IN_PART, or
                           how many bytes of a character that is not complete end it: these are that part - 1
    bases    int64[n + 1]  where the prefix ends whose tokens stand before that, 0 being nothing; from n + 1
                           on it is a part
    parts    int64[7 * …]  with room for two for each byte, and three
    """

    origins: NDArray[np.int64]
    n_begun: NDArray[np.uint8]
    bases: NDArray[np.int64]
    parts: NDArray[np.int64]


def room_for_growth(n_bytes: int) -> Growth:
    """For texts of so many bytes in all; nothing is told so far."""
    return Growth(
        origins=np.empty(n_bytes + 1, np.int64),
        n_begun=np.empty(n_bytes + 1, np.uint8),
        bases=np.empty(n_bytes + 1, np.int64),
        parts=np.empty(PART * (2 * n_bytes + MOST_BEGUN), np.int64),
    )


@borrowing
def enter_part(
    parts: NDArray[np.int64], number: int, start: int, end: int, n_more: int, base: int, born: int
) -> None:
    part = PART * number
    parts[part + FROM], parts[part + TO], parts[part + MORE] = start, end, n_more
    parts[part + BEHIND], parts[part + BORN], parts[part + STATE] = base, born, 0


@borrowing
def tell(growth: Growth, end: int, origin: int, n_begun: int, base: int, text_start: int) -> None:
    """Tell of a prefix whose base is a prefix, too, or empty."""
    growth.origins[end], growth.n_begun[end] = origin, n_begun
    growth.bases[end] = base if base > text_start else 0


def with_parts(texts: NDArray[np.uint8], growth: Growth, n_parts: int) -> tuple[NDArray[np.uint8], Growth]:
    """The texts and what is told of them, and behind that all parts as if they were texts of one prefix."""
    if n_parts == 0:
        return texts, growth
    size = len(texts) + size_of_parts(growth.parts, n_parts)
    laid, n_begun = np.empty(size, np.uint8), np.empty(size + 1, np.uint8)
    origins = np.empty(size + 1, np.int64)
    laid[: len(texts)], origins[: len(texts) + 1], n_begun[: len(texts) + 1] = texts, *growth[:2]
    lay_out(texts, growth.parts, n_parts, laid, origins, n_begun)
    return laid, growth._replace(origins=origins, n_begun=n_begun)


@kernel
def size_of_parts(parts: NDArray[np.int64], n_parts: int) -> int:
    """Bytes."""
    size = 0
    for number in range(n_parts):
        part = PART * number
        size += int(parts[part + TO] - parts[part + FROM] + 3 * parts[part + MORE])
    return size


@kernel
def lay_out(
    texts: NDArray[np.uint8],
    parts: NDArray[np.int64],
    n_parts: int,
    laid: NDArray[np.uint8],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
) -> None:
    """Write the parts behind the texts, one by one, and tell the same of them as of prefixes."""
    size = len(texts)
    for number in range(n_parts):
        part, start = PART * number, size
        for at in range(parts[part + FROM], parts[part + TO]):
            laid[size] = texts[at]
            size += 1
        for _ in range(parts[part + MORE]):
            laid[size], laid[size + 1], laid[size + 2] = 0xEF, 0xBF, 0xBD
            size += 3
        for at in range(start + 1, size):
            origins[at], n_begun[at] = start, NOT_ASKED
        origins[size], n_begun[size] = start, parts[part + STATE]
        parts[part + PLACE] = size


@kernel
def add_up(growth: Growth, own: NDArray[np.int64], n_parts: int, totals: NDArray[np.int64]) -> None:
    """Write the tokens of all prefixes by where they end, those of the parts behind them.

    own     by where they end, the tokens of prefixes from their origin on, and those of parts
    totals  as many as there are prefixes and parts, and one
    """
    n_begun, bases, parts = growth.n_begun, growth.bases, growth.parts
    number, n_bases, totals[0] = 0, len(bases), 0
    for end in range(1, n_bases):
        while number < n_parts and parts[PART * number + BORN] < end:
            part = PART * number
            totals[n_bases + number] = totals[parts[part + BEHIND]] + own[parts[part + PLACE]]
            number += 1
        more, n_bytes = 0, int(n_begun[end])
        if n_bytes == 0 or n_bytes == UNKNOWN:
            more = int(own[end])
        elif n_bytes != IN_PART:
            more = int(totals[n_bases + n_bytes - 1])
        totals[end] = totals[bases[end]] + more
