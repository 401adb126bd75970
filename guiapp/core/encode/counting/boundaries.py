"""Where a text may be divided: between characters, words, lines or sentences.

line       behind a line end (CR LF, LF or CR)
sentence   behind . ! ? … and their East Asian forms with the quotes and brackets that close there, where
           white space follows or the script needs none; and before an empty line
word       before white space, which goes with the word behind it, as most vocabularies have it
character  behind each character; a byte that is not UTF-8 counts as one
"""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.character_starts import code_points, decode, sizes_in_bytes

Level = Literal["line", "sentence", "word", "character"]

LEVELS: tuple[Level, ...] = ("line", "sentence", "word", "character")  # each finer than the one before


def _one_of(*texts: str) -> bytes:
    return b"(?:" + b"|".join(re.escape(text.encode()) for text in texts) + b")"


SPACE = _one_of(*" \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B)))
CLOSING = _one_of(*"\"')]»”’›」』）】")
WORD = re.compile(rb"(?:%s)+" % SPACE)
LINE = re.compile(rb"\r\n|\n|\r")
SENTENCE = (
    re.compile(  # a group matches where a sentence ends; marks without white space behind are passed over
        rb"%s++%s*+(?=(%s|\Z)?)|(%s++%s*+)|((?=\n[ \t\r]*+\n))"
        % (_one_of(*".!?…"), CLOSING, SPACE, _one_of(*"。！？"), CLOSING)
    )
)


def boundaries(text: bytes, level: Level) -> NDArray[np.int64]:
    """The offsets in (0, len(text)] where the text may be divided; the last one is its end."""
    if level == "character":
        return np.cumsum(sizes_in_bytes(code_points(decode(text))))
    if level == "word":
        positions = [match.start() for match in WORD.finditer(text)]
    elif level == "line":
        positions = [match.end() for match in LINE.finditer(text)]
    else:
        positions = [match.end() for match in SENTENCE.finditer(text) if match.lastindex]
    offsets = np.unique(np.array([*positions, len(text)], np.int64))
    return offsets[offsets > 0]
