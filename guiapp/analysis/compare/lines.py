"""Compare a text in several models, some lines at a time: a long text is never in memory as a whole."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from typing import NamedTuple

import numpy as np

from guiapp.analysis.compare.comparison import Comparison, ModelSide, compare_encodings
from guiapp.core.encode.counting.growing import encoded_parts
from guiapp.core.encode.encoding import Encoding

LEAST_BYTES = 1 << 19
NEWLINE = ord("\n")
TRIED = 64  # starts of lines


class ComparedLines(NamedTuple):
    """Whole lines of a text, with the same tokens as in the whole text.

    start, line  of the first byte and the first line in the text, both from 0
    """

    start: int
    line: int
    comparison: Comparison


def compare_lines(
    sides: Sequence[ModelSide], blocks: Iterable[bytes], least_bytes: int = LEAST_BYTES
) -> Iterator[ComparedLines]:
    """Compare a text that comes in blocks, in parts whose borders no token of any side crosses.

    Raises EncodeError like `compare_text`, after the previous parts.
    """
    columns = [_Column(side, copy) for side, copy in zip(sides, tee(blocks, len(sides)), strict=True)]
    start, line, wanted = 0, 0, least_bytes
    while True:
        for column in columns:
            column.read(wanted)
        is_last = all(column.has_ended for column in columns)
        end = len(columns[0].text) if is_last else _last_line_start(columns)
        if end or is_last:
            comparison = compare_encodings(sides, tuple(column.take(end, is_last) for column in columns))
            yield ComparedLines(start, line, comparison)
            start, line, wanted = start + end, line + comparison.text_bytes.count(NEWLINE), 0
        if is_last:
            return
        wanted = max(2 * wanted, least_bytes)


class _Column:
    """The tokens of one side in the lines that are read but not compared yet."""

    def __init__(self, side: ModelSide, blocks: Iterable[bytes]) -> None:
        options = side.add_special, side.parse_special, side.encoder
        self._parts = encoded_parts(side.tokenizer, blocks, *options)
        self.has_ended, self._encoder = False, ""
        self.text, self.ids, self.spans = b"", np.empty(0, np.int32), np.empty((0, 2), np.int64)

    def read(self, n_bytes: int) -> None:
        """Read until there are at least `n_bytes`, or until the end."""
        encodings, n_left = list[Encoding](), n_bytes - len(self.text)
        while n_left > 0 and not self.has_ended:
            part = next(self._parts, None)
            self.has_ended = part is None
            if part is not None:
                encodings.append(part.encoding)
                n_left -= len(part.encoding.text_bytes)
        if encodings:
            ends = np.cumsum([len(self.text), *(len(each.text_bytes) for each in encodings)])
            spans = (each.spans + end for each, end in zip(encodings, ends.tolist(), strict=False))
            self.text = b"".join((self.text, *(each.text_bytes for each in encodings)))
            self.ids = np.concatenate((self.ids, *(each.token_ids for each in encodings)))
            self.spans = np.concatenate((self.spans, *spans))
            self._encoder = encodings[0].encoder

    def take(self, end: int, is_last: bool) -> Encoding:
        """Remove and return the encoding of the bytes up to `end`."""
        n_tokens = len(self.ids) if is_last else int(np.searchsorted(self.spans[:, 0], end))
        taken = Encoding(self.text[:end], self.ids[:n_tokens], self.spans[:n_tokens], self._encoder)
        self.text, self.ids, self.spans = self.text[end:], self.ids[n_tokens:], self.spans[n_tokens:] - end
        return taken


def _last_line_start(columns: Sequence[_Column]) -> int:
    """The last start of a line where a token of every side ends, with no empty token there; 0 if none."""
    text = min((column.text for column in columns), key=len)
    line_starts = np.flatnonzero(np.frombuffer(text[:-1], np.uint8) == NEWLINE) + 1
    for column in columns:
        starts, ends = column.spans.T
        firsts = np.searchsorted(starts, line_starts)
        reach, after = np.append(0, ends)[firsts], np.append(ends, -1)[firsts]
        line_starts = line_starts[(reach <= line_starts) & (after != line_starts)]
    for line_start in line_starts[: -TRIED - 1 : -1].tolist():
        first = text[line_start : line_start + 4].decode("utf-8", "replace")[:1]
        if not unicodedata.category(first).startswith("M"):  # a mark belongs to the previous character
            return int(line_start)
    return 0
