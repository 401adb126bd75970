"""Divide a text into chunks with a maximum number of tokens.

The tokens of a chunk are those of its text by itself, without BOS, EOS and the like.  Their number may fall
as a text grows: more text can merge two tokens into one.  So the end of a chunk is also searched for beyond
the first position that does not fit.  A chunk is *maximal*: no boundary of its level farther away fits.
It is enough to search up to the next certain cut, after which counts only grow; in text without cuts, the
next `LOOK_BEYOND` boundaries are tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.counting.certain_cuts import CertainCuts
from guiapp.core.encode.counting.growing import EncodedPart, encoded_parts
from guiapp.core.encode.encoding import as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.files import blocks_from
from guiapp.core.text import utf8
from guiapp.core.text.normalized import code_points, decode, sizes_in_bytes
from guiapp.errors import EncodeError, whole_number

Level = Literal["line", "sentence", "word", "character"]

LEVELS: tuple[Level, ...] = ("line", "sentence", "word", "character")  # each finer than the previous one
LOOK_BEYOND = 64
WINDOW_BYTES = 1 << 12  # in which a certain cut is searched for
NEAR_BYTES = 1 << 7  # a cut serves all parts that begin or end within so many bytes
SHARED_BYTES = 1 << 4  # before a likely end: ends from there on share a cut
SECTION_BYTES = 1 << 17


@dataclass(frozen=True)
class Chunk:
    """A part of a text, text[start:end], which has `n_tokens` tokens by itself."""

    start: int
    end: int
    n_tokens: int


def chunk_text(
    tokenizer: Tokenizer,
    text: str | bytes,
    max_tokens: int,
    overlap: int = 0,
    by: Level = "character",
    parse_special: bool = True,
    progress: Callable[[float], object] = lambda share: None,
) -> list[Chunk]:
    """Chunks that cover the text, each of at most `max_tokens` tokens and maximal.

    by        where chunks may end.  If not even one line, sentence or word fits, this end uses the next finer
              level; the text of a special token counts as one character
    overlap   a chunk begins with the last part of the previous one, from a boundary of `by`, of at most so
              many tokens; with less if the chunk would otherwise not reach beyond the previous one
    progress  is called with the finished share before each chunk, and may raise to stop the work
    Raises EncodeError for invalid numbers, and if a single character has too many tokens.
    """
    data, chunks = as_bytes(text), list[Chunk]()
    blocks = blocks_from(BytesIO(data).read)
    for chunk, _ in chunk_blocks(tokenizer, blocks, max_tokens, overlap, by, parse_special):
        chunks.append(chunk)
        progress(chunk.end / len(data))
    return chunks


def chunk_blocks(
    tokenizer: Tokenizer,
    blocks: Iterable[bytes],
    max_tokens: int,
    overlap: int = 0,
    by: Level = "character",
    parse_special: bool = True,
    section_bytes: int = SECTION_BYTES,
) -> Iterator[tuple[Chunk, bytes]]:
    """The same for a text in blocks; yields each chunk with its text.

    Only a section of the text is in memory: from shortly before a chunk to after the certain cut that
    decides its end, and at least `section_bytes` more.
    """
    max_tokens, overlap = (whole_number(number, "number of tokens") for number in (max_tokens, overlap))
    if max_tokens < 1:
        raise EncodeError(f"Chunks cannot have at most {max_tokens} tokens. Allow at least 1.")
    if not 0 <= overlap < max_tokens:
        raise EncodeError(
            f"An overlap of {overlap} tokens does not fit in chunks of {max_tokens}. "
            f"Choose 0 to {max_tokens - 1}."
        )
    if by not in LEVELS:
        raise EncodeError(f"Text cannot be cut into chunks by “{by}”. Choose one of: {', '.join(LEVELS)}.")
    parts = encoded_parts(tokenizer, blocks, False, parse_special)
    section, start, coming = list[EncodedPart](), 0, next(parts, None)
    while coming is not None:
        n_before = sum(part.start <= start - WINDOW_BYTES for part in section[1:])
        while n_before and not _is_apart(section[n_before - 1], by):
            n_before -= 1
        section = section[n_before:]
        enough = coming.start + (coming.start - section[0].start if section else 0) + section_bytes
        while coming and not (section and coming.start >= enough and _is_apart(section[-1], by)):
            section.append(coming)
            coming = next(parts, None)
        counter = IntervalCounter(tokenizer, section, parse_special)
        chunker = _Chunker(counter, section[0].start, coming is None, max_tokens, overlap, by)
        with suppress(_UnreadError):
            while start < chunker.end:
                chunk, start = chunker.chunk_from(start)
                yield chunk, chunker.text_of(chunk)
        del counter, chunker  # free them before the next ones need as much memory


class _UnreadError(Exception):
    """The end of a chunk depends on text after the section."""


def _is_apart(part: EncodedPart, by: Level) -> bool:
    """Whether the boundaries in the text after a part are the same without it."""
    if by == "character":
        return True
    end = part.encoding.text_bytes[-LONGEST_SIGN:]
    return len(end) == LONGEST_SIGN and not SENTENCE_END.search(end)


def chunk_record(chunk: Chunk, text: bytes) -> dict[str, object]:
    """A chunk with its text, as a JSON object."""
    shown = text.decode("utf-8", "replace")
    return {"start": chunk.start, "end": chunk.end, "n_tokens": chunk.n_tokens, "text": shown}


def chunks_as_lines(text: bytes, chunks: Sequence[Chunk]) -> bytes:
    """JSON Lines, one for each chunk."""
    return b"".join(
        f"{json.dumps(chunk_record(chunk, text[chunk.start : chunk.end]), ensure_ascii=False)}\n".encode()
        for chunk in chunks
    )


def chunks_as_files(text: bytes, chunks: Sequence[Chunk]) -> dict[str, bytes]:
    """The bytes of each chunk by file name; the names sort in the order of the chunks."""
    n_digits = len(str(len(chunks)))
    return {
        f"chunk-{number:0{n_digits}}.txt": text[chunk.start : chunk.end]
        for number, chunk in enumerate(chunks, 1)
    }


class _Chunker:
    """One section of a text and the options to divide it; offsets are relative to the section.

    base, is_last  the start of the section in the text, and whether it ends where the text ends
    """

    def __init__(
        self,
        counter: IntervalCounter,
        base: int,
        is_last: bool,
        max_tokens: int,
        overlap: int,
        by: Level,
    ) -> None:
        self._counter, self._base, self._is_last = counter, base, is_last
        self._text = counter.data
        self._max_tokens, self._overlap, self._by = max_tokens, overlap, by
        self._boundaries = cache(partial(_boundaries, self._counter, self._text))
        self.end = base + len(self._text)
        self._known = len(self._text) if is_last else len(self._text.rstrip(BLANK))

    def chunk_from(self, text_start: int) -> tuple[Chunk, int]:
        """The chunk that begins at `text_start`, and the start of the next one.  Raises _UnreadError."""
        start = text_start - self._base
        end = self._end_of_chunk(start)
        next_start = end if end == len(self._text) else self._next_start(start, end)
        chunk = Chunk(text_start, self._base + end, self._counter.count(start, end))
        return chunk, self._base + next_start

    def text_of(self, chunk: Chunk) -> bytes:
        return self._text[chunk.start - self._base : chunk.end - self._base]

    def _end_of_chunk(self, start: int) -> int:
        for level in LEVELS[LEVELS.index(self._by) :]:
            end = self._farthest_end(start, level)
            if end > start:
                return end
        ends = self._boundaries("character")
        n_tokens = self._counter.count(start, int(ends[np.searchsorted(ends, start, "right")]))
        raise EncodeError(
            f"The character at byte {self._base + start:,} alone has {n_tokens} tokens. "
            "Allow at least that many in a chunk."
        )

    def _farthest_end(self, start: int, level: Level) -> int:
        """The farthest boundary at which a chunk may end; `start` if there is none."""
        ends = self._boundaries(level)
        first, last = ends.searchsorted((start, self._too_far(start)), "right").tolist()

        def fits(index: int) -> bool:
            return self._counter.count(start, int(ends[first + index])) <= self._max_tokens

        index = _last_fitting(fits, last - first)
        return int(ends[first + index]) if index >= 0 else start

    def _next_start(self, start: int, end: int) -> int:
        """The start of the chunk after [start, end)."""
        if not self._overlap:
            return end
        starts = self._boundaries(self._by)
        first = int(np.searchsorted(starts, max(start, self._too_early(start, end)), "right"))
        last = int(np.searchsorted(starts, end)) - 1

        def fits(index: int) -> bool:
            return self._counter.count(int(starts[last - index]), end) <= self._overlap

        index = _last_fitting(fits, last + 1 - first)
        while index >= 0:
            candidate = int(starts[last - index])
            if self._farthest_end(candidate, self._by) > end:
                return candidate
            index = _last_fitting(fits, index)
        return end

    def _too_far(self, start: int) -> int:
        """An offset beyond which no boundary needs to be tried; a certain cut if one is near."""
        counter, size = self._counter, len(self._text)
        index = counter.n_tokens_before(start) + self._max_tokens
        while index < counter.n_tokens:
            offset = max(int(counter.token_starts[index]), start)
            if not self._is_last and offset + WINDOW_BYTES >= self._known:
                break
            limit = min(offset + WINDOW_BYTES, size)
            cut = counter.cut_after(offset, limit)
            n_tokens = (counter.count_to_cut if cut < limit else counter.count)(start, cut)
            if n_tokens > self._max_tokens:
                counter.expect(start, offset - SHARED_BYTES)
                return cut
            index += self._max_tokens + 1 - n_tokens
        if not self._is_last:
            raise _UnreadError
        return size

    def _too_early(self, start: int, end: int) -> int:
        """The same for the beginning of an overlap that ends at `end`; 0 if everything fits."""
        counter = self._counter
        index = counter.n_tokens_before(end) - self._overlap
        while index > 0 and (offset := int(counter.token_starts[index])) > start:
            cut = counter.cut_before(max(offset - WINDOW_BYTES, 0), min(offset, end))
            n_tokens = counter.count(cut, end)
            if n_tokens > self._overlap:
                return cut
            index -= self._overlap + 1 - n_tokens
        return 0


def _last_fitting(fits: Callable[[int], bool], size: int) -> int:
    """The last index below `size` that fits; -1 if there is none.  See `LOOK_BEYOND`.

    Step down from the last index, in growing steps, until one fits; then bisect; then try larger ones.
    """
    fits = cache(fits)
    failing, index, step = size, size - 1, 1
    while index >= 0 and not fits(index):
        failing, index, step = index, index - step, 2 * step
    fitting = max(index, -1)
    while failing - fitting > 1:
        middle = (fitting + failing) // 2
        fitting, failing = (middle, failing) if fits(middle) else (fitting, middle)
    beyond = min(size, fitting + 1 + LOOK_BEYOND) - 1
    while beyond > fitting:
        if fits(beyond):
            fitting, beyond = beyond, min(size, beyond + 1 + LOOK_BEYOND)
        beyond -= 1
    return fitting


def _boundaries(counter: IntervalCounter, text: bytes, level: Level) -> NDArray[np.int64]:
    return counter.outside_special_tokens(boundaries(text, level))


def _one_of(*texts: str) -> bytes:
    return b"(?:" + b"|".join(re.escape(text.encode()) for text in texts) + b")"


SPACE = _one_of(*" \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B)))
CLOSING = _one_of(*"\"')]»”’›」』）】")
MARK, WIDE_MARK = _one_of(*".!?…"), _one_of(*"。！？")
WORD = re.compile(rb"(?:%s)+" % SPACE)
LINE = re.compile(rb"\r\n|\n|\r")
SENTENCE = (
    re.compile(  # a group matches where a sentence ends; marks without white space after them are skipped
        rb"%s++%s*+(?=(%s|\Z)?)|(%s++%s*+)|((?=\n[ \t\r]*+\n))" % (MARK, CLOSING, SPACE, WIDE_MARK, CLOSING)
    )
)
SENTENCE_END = re.compile(rb"(?:%s|%s|%s)\Z" % (MARK, WIDE_MARK, CLOSING))
LONGEST_SIGN = 3  # bytes of a mark or a closing character
BLANK = b" \n\t\r"  # may be between the newlines that end a sentence


def boundaries(text: bytes, level: Level) -> NDArray[np.int64]:
    """The offsets in (0, len(text)] where the text may be divided; the last one is its end."""
    if level == "character":
        if text and utf8.is_text(text):
            starts = np.flatnonzero(np.frombuffer(text, np.uint8) & 0xC0 != 0x80)
            return np.append(starts[1:], len(text))
        return np.cumsum(sizes_in_bytes(code_points(decode(text))))
    if level == "word":
        positions = [match.start() for match in WORD.finditer(text)]
    elif level == "line":
        positions = [match.end() for match in LINE.finditer(text)]
    else:
        positions = [match.end() for match in SENTENCE.finditer(text) if match.lastindex]
    offsets = np.unique(np.array([*positions, len(text)], np.int64))
    return offsets[offsets > 0]


class IntervalCounter:
    """Counts the tokens of parts of one text.

    The count of text[start:end] is the count of its encoding by itself: pre-tokenization, space prefix and
    special tokens apply to the part alone, without BOS, EOS and the like.  Only its two ends can differ
    from the encoding of the whole: between the first and the last certain cut the tokens are the same, and
    their number is a difference of two indices.  So the time does not depend on the length of the part,
    unless it has no certain cut: then it is encoded.  A cut that a few bytes prove holds in all parts with
    these bytes, so parts of similar length reuse it.
    """

    def __init__(
        self, tokenizer: Tokenizer, text: str | bytes | list[EncodedPart], parse_special: bool = True
    ) -> None:
        """Encode the text, unless it is given in encoded parts.  Offsets are those of its bytes.

        Raises EncodeError if the vocabulary cannot express the text.
        """
        if not isinstance(text, list):
            text = [EncodedPart(0, tokenizer.encode(text, False, parse_special))]
        base = text[0].start
        spans = np.concatenate([part.encoding.spans + (part.start - base) for part in text])
        self.data = b"".join(part.encoding.text_bytes for part in text)
        self.text = np.frombuffer(self.data, np.uint8)
        self.token_starts, self._token_ends = np.ascontiguousarray(spans.T)
        self._cuts = CertainCuts(tokenizer, parse_special)
        self._clusters = self._cuts.clusters(self.text)
        self._head, self._tails = (-1, 0, 0), dict[int, tuple[int, int]]()  # the latest cuts of `count`
        self._without_cut = 0, 0  # the latest part without a certain cut

    def count(self, start: int, end: int) -> int:
        """len(tokenizer.encode(text[start:end], add_special=False, parse_special=parse_special))."""
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"{start}:{end} is not a part of a text of {len(self.text)} bytes")
        if end - start <= NEAR_BYTES:
            return self._count_alone(start, end, True)
        self._first_cut(start)
        known = (near for near in self._tails if near <= end < near + NEAR_BYTES)
        right, n_tokens = self._last_cut(start, next(known, end & -NEAR_BYTES))
        return self._count(start, end) if right < 0 else n_tokens + self._count_alone(right, end, False)

    def count_to_cut(self, start: int, cut: int) -> int:
        """The same if the part ends at a cut from `cut_after`."""
        left, n_more = self._first_cut(start)
        if left < min(cut, start + NEAR_BYTES):
            return n_more + self.n_tokens_before(cut)
        return self.count(start, cut)

    def expect(self, start: int, near: int) -> None:
        """Let parts that end at or shortly after `near` share the last cut before it."""
        self._first_cut(start)
        self._last_cut(start, near)

    def _first_cut(self, start: int) -> tuple[int, int]:
        """A certain cut proved by the bytes after `start`, and the correction of the count before it.

        The correction is the tokens up to the cut in a part from `start`, minus those in the whole text.
        """
        if self._head[0] != start:
            left = self.cut_after(start, min(start + NEAR_BYTES, len(self.text)))
            self._head = start, left, self._count_alone(start, left, True) - self.n_tokens_before(left)
            self._tails.clear()
        return self._head[1:]

    def _last_cut(self, start: int, near: int) -> tuple[int, int]:
        """The last certain cut before `near`, and the tokens before it in a part from `start`.

        `_first_cut` was last called with `start`.  The cut is -1 if there is none so near.
        """
        if near not in self._tails:
            _, left, n_more = self._head
            first = max(left, near - WINDOW_BYTES)
            right = self.cut_before(first, max(left, near))
            is_far = left == start + NEAR_BYTES or right == first > left
            self._tails[near] = -1 if is_far else right, n_more + self.n_tokens_before(right)
        return self._tails[near]

    def _count(self, start: int, end: int) -> int:
        first, last = self._without_cut
        if first <= start and end <= last:
            return self._count_alone(start, end, True)
        left = self.cut_after(start, end)
        if left == end:
            self._without_cut = start, end
        right = self.cut_before(left, end) if left < end else left
        if right <= left:
            return self._count_alone(start, end, True)
        n_first, n_last = self._count_alone(start, left, True), self._count_alone(right, end, False)
        return n_first + self.n_tokens_before(right) - self.n_tokens_before(left) + n_last

    def outside_special_tokens(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """The offsets that are not inside the text of a special token of the whole text."""
        if not len(self._clusters.starts):
            return offsets
        starts, ends = self._cuts.special_tokens_of(self.text)
        index = np.searchsorted(starts, offsets) - 1
        ends = np.append(ends, 0)  # index -1, for offsets before all special tokens
        return offsets[ends[index] <= offsets]

    def cut_after(self, start: int, end: int) -> int:
        """The first certain cut in (start, end) that separates tokens; `end` if there is none."""
        return self._cuts.first_clean(self.text, self._clusters, start, end, self._parts_tokens)

    def cut_before(self, start: int, end: int) -> int:
        """The last such cut; `start` if there is none."""
        return self._cuts.last_clean(self.text, self._clusters, start, end, self._parts_tokens)

    def _parts_tokens(self, cut: int) -> bool:
        """Whether the cut separates tokens of the whole text, without an empty token at the cut."""
        index = self.n_tokens_before(cut)
        is_empty_there = index < len(self._token_ends) and self._token_ends[index] == cut
        return not is_empty_there and (index == 0 or bool(self._token_ends[index - 1] <= cut))

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the whole text."""
        return len(self.token_starts)

    def n_tokens_before(self, cut: int) -> int:
        """The number of tokens of the whole text that begin before `cut`."""
        return int(self.token_starts.searchsorted(cut))

    def _count_alone(self, start: int, end: int, begins_text: bool) -> int:
        return self._cuts.count(self.data[start:end], begins_text) if start < end else 0
