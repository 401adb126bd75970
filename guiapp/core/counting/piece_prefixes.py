"""The tokens of all prefixes of a text that has become long without a certain cut, in BPE vocabularies.

Such a text is a piece that goes on and on, like a word of a thousand letters, or a few pieces each of which
ends as soon as the next one begins.  A byte costs the same however long it is.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, PrefixTable, Rules, grown, rules_of
from guiapp.core.kernels import piece_growth, prefix_parts
from guiapp.core.kernels.piece_growth import NOT_APART, ROWS, UNKNOWN, WHOLE
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.text.utf8 import ASCII_END

NO_PIECES = np.empty(0, np.int64)
NOTHING_FOUND: tuple[bytes, NDArray[np.int64] | None] = b"", None  # about no bytes


class PieceRules:
    """What a vocabulary says about pieces that grow; found out when it is asked for."""

    def __init__(self, pipeline: BytePairPipeline) -> None:
        self.pipeline = pipeline

    @cached_property
    def of_tokens(self) -> Rules | None:
        """None where prefixes cannot be told from each other."""
        return rules_of(self.pipeline.merging)

    @property
    def are_known(self) -> bool:
        """Whether somebody has asked for `of_tokens`."""
        return "of_tokens" in self.__dict__


class PiecePrefixes:
    """One text, empty in the beginning, that begins at a certain cut."""

    def __init__(self, rules: PieceRules, of_tokens: Rules) -> None:
        """`of_tokens` are those of `rules`."""
        self._rules = rules
        self._table = PrefixTable(rules.pipeline.merging, of_tokens)
        self._progress = np.zeros(ROWS + len(rules.pipeline.machine.levels), np.int64)
        self._size = 0
        self._text = np.empty(SMALLEST_ROOM, np.uint8)
        self._origins, self._n_begun = (
            np.empty(SMALLEST_ROOM + 1, np.int64),
            np.empty(SMALLEST_ROOM + 1, np.uint8),
        )
        self._counts = np.zeros(SMALLEST_ROOM + 1, np.int32)
        self._found = NOTHING_FOUND

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[n + 1]: how many tokens the first 0, 1, … n bytes have."""
        return self._counts[: self._size + 1]

    def takes(self, new: NDArray[np.uint8]) -> bool:
        """Whether it is known what pieces there are with these bytes behind the others."""
        is_plain = not self._rules.pipeline.merging.marks_spaces or new.max(initial=0) < ASCII_END
        return is_plain and self._find_pieces(new) is not None

    def append(self, new: NDArray[np.uint8]) -> None:
        """Put bytes behind those that came before; `takes` said that they may follow."""
        progress = self._find_pieces(new)
        assert progress is not None
        first, end = self._size + 1, self._size + len(new) + 1
        origins, n_begun = self._origins[first:end], self._n_begun[first:end]
        start = int(self._progress[WHOLE])
        pieces = np.unique(origins[origins >= start]) if origins[-1] >= start else NO_PIECES
        self._fill_table(pieces, start, int(progress[WHOLE]))
        own = self._count_apart(np.arange(first, end), origins, n_begun)
        in_table, of_begun = self._table.counts, self._rules.pipeline.begun_counts
        piece_growth.add_counts(
            first, end, self._origins, self._n_begun, in_table, of_begun, own, self._counts
        )
        self._progress, self._size, self._found = progress, self._size + len(new), NOTHING_FOUND

    def _find_pieces(self, new: NDArray[np.uint8]) -> NDArray[np.int64] | None:
        """Find where the last piece of each new prefix begins; the progress made, None if not all is told.

        Bytes that are appended were asked about just before.
        """
        asked = new.tobytes()
        if asked != self._found[0]:
            size = self._size + len(new)
            self._make_room(size)
            self._text[self._size : size] = new
            progress = self._progress.copy()
            machine = self._rules.pipeline.machine
            reached = piece_growth.grow(self._text[:size], progress, machine, self._origins, self._n_begun)
            self._found = asked, progress if reached == size else None
        return self._found[1]

    def _fill_table(self, pieces: NDArray[np.int64], start: int, end: int) -> None:
        """Put whole characters into the table, some of which begin pieces."""
        bounds = [start, *pieces[pieces > start].tolist(), end]
        for piece_start, piece_end in pairwise(bounds):
            if piece_start > start or (len(pieces) and pieces[0] == start):
                self._table.begin_piece()
            self._table.append(self._text[piece_start:piece_end])

    def _count_apart(
        self, ends: NDArray[np.int64], origins: NDArray[np.int64], n_begun: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """The numbers of tokens from each origin to the end of its prefix that the table does not tell."""
        pipeline, own = self._rules.pipeline, np.full(len(ends), NOT_APART)
        if pipeline.longest_whole_piece:
            may_be_whole = (n_begun == 0) & (ends - origins <= pipeline.longest_whole_piece)
            if len(asked := np.flatnonzero(may_be_whole)):
                parts = prefix_parts.parts_of(self._text, origins[asked], ends[asked])
                own[asked[pipeline.whole_pieces(*parts)]] = 1
        if len(asked := np.flatnonzero(n_begun == UNKNOWN)):
            own[asked] = pipeline.count_each(*prefix_parts.parts_of(self._text, origins[asked], ends[asked]))
        return own

    def _make_room(self, size: int) -> None:
        if size > len(self._text):
            room = 2 * size
            self._text, self._counts = grown(self._text, room), grown(self._counts, room + 1)
            self._origins, self._n_begun = grown(self._origins, room + 1), grown(self._n_begun, room + 1)


def piece_prefixes(rules: PieceRules) -> PiecePrefixes | None:
    """None where prefixes cannot be told from each other."""
    return None if rules.of_tokens is None else PiecePrefixes(rules, rules.of_tokens)
