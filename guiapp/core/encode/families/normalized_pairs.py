"""Byte-level pair merging of text that is normalised first, and then cut by patterns alone.

Most normalizers of such vocabularies are Unicode's normal forms, which change little of most texts, and
nothing that is ASCII: before such a character every text may be cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.families.byte_pair import BytePairPipeline, Repaired
from guiapp.core.encode.families.pipeline import FastPath, no_fast_path
from guiapp.core.encode.families.rows import Rows, rows_of
from guiapp.core.hugging_face.normalizers import is_unicode_form
from guiapp.core.hugging_face.prepare import normalize
from guiapp.core.text.normalized import NormalizedText, from_source
from guiapp.core.text.utf8 import well_formed
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary

FIRST_WINDOW = 64  # bytes


class NormalizedPairsPipeline(BytePairPipeline):
    """See `Pipeline`."""

    begins_after_special = False

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        super().__init__(vocabulary)
        self._normalizer = parts.normalizer
        self._keeps_ascii = is_unicode_form(parts.normalizer)

    def _repaired(self, text: NDArray[np.uint8]) -> Repaired:
        data, repaired = well_formed(text)
        normal = normalize(self._normalizer, data, True)
        if normal.spans is None:
            return normal.data, repaired
        return normal.data, from_source(normal.normalized, repaired)

    def _repaired_readable(self, text: bytes) -> tuple[bytes, NormalizedText | None]:
        data, repaired = self._repaired(np.frombuffer(text, np.uint8))
        return data.tobytes(), repaired

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        if self._keeps_ascii and all(map(bytes.isascii, texts)):
            return super().encode_each(texts)
        arrays = (np.frombuffer(text, np.uint8) for text in texts)
        return rows_of(self.encode(text, True, self.encoders[0]).ids for text in arrays)

    @property
    def fast_path(self) -> FastPath:
        fast_path = super().fast_path
        if not self._keeps_ascii:
            return no_fast_path
        return lambda text, affixes: fast_path(text, affixes) if text.isascii() else None

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        if not self._keeps_ascii:
            return 0
        while position > 0:
            position = super().cut_before(fragment, position)
            if position == 0 or fragment[position] < 0x80:
                return position
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        if not self._keeps_ascii:
            return len(fragment)
        while position < len(fragment):
            position = super().cut_after(fragment, position)
            if position == len(fragment) or fragment[position] < 0x80:
                return position
            position += 1
        return len(fragment)

    def _start_before(self, text: NDArray[np.uint8], position: int) -> int:
        """The last ASCII character at or before a place; 0 if there is none."""
        end, size = position + 1, FIRST_WINDOW
        while end > 0:
            start, size = max(end - size, 0), 2 * size
            if len(ascii_offsets := np.flatnonzero(text[start:end] < 0x80)):
                return start + int(ascii_offsets[-1])
            end = start
        return 0

    def _end_after(self, text: NDArray[np.uint8], position: int) -> int:
        """The first ASCII character at or behind a place, or the end."""
        start, size = position, FIRST_WINDOW
        while start < len(text):
            if len(ascii_offsets := np.flatnonzero(text[start : start + size] < 0x80)):
                return start + int(ascii_offsets[0])
            start, size = start + size, 2 * size
        return len(text)
