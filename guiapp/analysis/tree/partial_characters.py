"""Bytes that are not whole characters, and what would complete them to valid UTF-8."""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalizers import symbol_length
from guiapp.core.text.utf8 import LAST_CODE, code_of, is_text
from guiapp.core.vocabulary.vocabulary import TokenTree

FOLLOWING = range(0x80, 0xC0)  # bytes that go on with a character
LEAST_CODES = (0, 0, 0x80, 0x800, 0x10000)  # of characters of so many bytes
SEEN = "LNPS"  # letters, numbers, punctuation and symbols
KINDS = (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF)  # one of each kind that some first bytes ask for
MARKS = (0x80, 0xBF)

HEADS: tuple[tuple[bytes, ...], ...] = (  # what may stand before so many bytes that go on with a character
    (b"",),
    (
        *map(bytes, product(range(0xC2, 0xE0))),
        *map(bytes, product(range(0xE0, 0xF0), KINDS)),
        *map(bytes, product(range(0xF0, 0xF5), KINDS, MARKS)),
    ),
    (*map(bytes, product(range(0xE0, 0xF0))), *map(bytes, product(range(0xF0, 0xF5), KINDS))),
    (*map(bytes, product(range(0xF0, 0xF5))),),
)
TAILS: tuple[tuple[bytes, ...], ...] = (  # what may end a character that lacks so many bytes
    (b"",),
    (*map(bytes, product(FOLLOWING)),),
    (*map(bytes, product(FOLLOWING, KINDS)),),
    (*map(bytes, product(FOLLOWING, MARKS, MARKS)),),
)


def open_ends(data: bytes) -> tuple[bytes, bytes]:
    """The bytes that go on with a character before them, and those of a last character that is not whole."""
    n_before = next((at for at, byte in enumerate(data) if byte not in FOLLOWING), len(data))
    for size in range(1, min(4, len(data) - n_before) + 1):
        if data[-size] not in FOLLOWING:
            is_whole = symbol_length(data[-size]) <= size
            return data[:n_before], b"" if is_whole else data[-size:]
    return data[:n_before], b""


def begun_characters(data: bytes) -> str:
    """What a last character that is not whole may become, as `夀–夿`; "" if an end of that cannot be seen."""
    ending = open_ends(data)[1]
    if not ending:
        return ""
    possible = possible_codes(ending)
    codes = range(max(possible.start, LEAST_CODES[symbol_length(ending[0])]), possible.stop)
    ends = [chr(code) for code in (*codes[:1], *codes[-1:])]
    return "–".join(ends) if all(unicodedata.category(end)[0] in SEEN for end in ends) else ""


def completions(data: bytes) -> list[bytes]:
    """Texts that hold the bytes and complete their characters: many, and one at least if there is any."""
    beginning, ending = open_ends(data)
    if not is_text(data[len(beginning) : len(data) - len(ending)]):
        return []
    ends = [data + tail for tail in _tails(ending)]
    return [head + end for head, end in product(_heads(beginning), ends)]


def n_lacking(ending: bytes) -> int:
    """How many bytes the last character lacks, given those that it has."""
    return symbol_length(ending[0]) - len(ending) if ending else 0


def possible_codes(data: bytes) -> range:
    """The code points of the characters that begin with these bytes, which are one or its beginning."""
    size = symbol_length(data[0])
    code = code_of(data, size)
    open_bits = 6 * (size - len(data))
    return range(code << open_bits, min((code + 1) << open_bits, LAST_CODE + 1))


@cache
def _heads(beginning: bytes) -> list[bytes]:
    choices = HEADS[len(beginning)] if len(beginning) < len(HEADS) else ()
    return [head for head in choices if is_text(head + beginning)]


@cache
def _tails(ending: bytes) -> list[bytes]:
    return [tail for tail in TAILS[n_lacking(ending)] if is_text(ending + tail)]


def broken_tokens(tree: TokenTree) -> NDArray[np.int32]:
    """The tokens whose bytes are not whole characters, in ascending order."""
    high = np.unique(np.searchsorted(tree.offsets, np.flatnonzero(tree.data >= 0x80), "right") - 1)
    return np.array([token for token in high.tolist() if not is_text(tree.token_bytes(token))], np.int32)
