"""The token ids of many texts, or of the parts of a long one, encoded on several threads.

Passing a text to native code takes as long as encoding some words of it, and holds Python's lock.  So short
texts are concatenated and passed in groups.
"""

from __future__ import annotations

import os
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from operator import index, itemgetter
from queue import SimpleQueue
from threading import Lock
from typing import Literal, NamedTuple, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.encode.families.pipeline import EncodeOne, Pipeline, Rows, rows_of
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native import model_files as native
from guiapp.native.special_tokens import CallOptions

Padding = Literal["longest"] | SupportsIndex | None
Around = tuple[list[int], list[int]]  # the ids before and after each text
NO_LIMIT = 1 << 62
BYTES_PER_ID = 5  # with its position in the mask
MANY_IDS = 1 << 18  # for fewer, threads take longer to start than they save
T = TypeVar("T")
R = TypeVar("R")
LEAST_LONG_BYTES = 2 << 20  # below, threads take longer to start than they save
MOST_THREADS, MOST_ASKED_FOR = 8, 64  # each may have a cache of 20 MB
LEAST_PART = 1 << 17  # bytes
PARTS_PER_THREAD = 4  # some parts take longer than others, and threads wait for each other
LEAST_BYTES = 1 << 17  # below, threads take longer to start than they save
LEAST_BYTES_PER_TEXT = 1 << 10  # of texts that are passed one by one
LEAST_GROUP, MOST_GROUP = 1 << 16, 1 << 19  # bytes
GROUPS_PER_THREAD = 2  # at least: some take longer than others, and threads wait for each other


def encode_rows(groups: Groups, texts: Sequence[bytes], n_threads: int) -> list[Rows]:
    """The ids of many texts without BOS, EOS and the like, by groups of consecutive texts."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() < max(LEAST_BYTES, groups.least_bytes_per_text * len(texts)):
        n_threads = 1
    return share_out(groups.encode, groups.of(texts, lengths, n_threads), n_threads)


@dataclass(frozen=True, eq=False)
class Groups:
    """Encodes groups of texts.  Threads may share it.

    many        encodes a group at once, with these options; None: texts are encoded one by one
    encode_one  encodes one text
    """

    many: Pipeline | None
    options: CallOptions
    encode_one: EncodeOne
    _long_text: Lock = field(default_factory=Lock, init=False)

    @property
    def least_bytes_per_text(self) -> int:
        """Mean size from which threads pay: short texts passed one by one wait for Python's lock."""
        return 0 if self.many else LEAST_BYTES_PER_TEXT

    def of(self, texts: Sequence[bytes], lengths: NDArray[np.int64], n_threads: int) -> list[Sequence[bytes]]:
        """The texts in groups: several for each thread, and a group of its own for each long text."""
        if not texts:
            return []
        starts = np.cumsum(lengths) - lengths
        group_size = int(lengths.sum()) // (GROUPS_PER_THREAD * n_threads)
        is_alone = lengths > (self.many.longest_of_many if self.many else LEAST_GROUP)
        begins = np.diff(starts // min(max(group_size, LEAST_GROUP), MOST_GROUP)) > 0
        bounds = np.flatnonzero(begins | is_alone[1:] | is_alone[:-1]) + 1
        return [texts[first:last] for first, last in pairwise([0, *bounds.tolist(), len(texts)])]

    def encode(self, texts: Sequence[bytes]) -> Rows:
        """The ids of the texts of one group."""
        if self.many is None or len(texts) == 1:
            return rows_of(map(self._encode_text, texts))
        return self.many.encode_each(texts, self.options, self.encode_one)

    def _encode_text(self, text: bytes) -> NDArray[np.int32]:
        if len(text) < LEAST_LONG_BYTES:
            return self.encode_one(text)
        with self._long_text:  # it uses several threads by itself
            return self.encode_one(text)


def encode_in_parts(
    pipeline: Pipeline,
    fragment: NDArray[np.uint8],
    after_special: bool,
    encoder: str,
    n_threads: int,
    n_parts: int,
) -> FragmentTokens:
    """The tokens of a fragment by an exact encoder of its pipeline, joined from about `n_parts` parts."""
    bounds = _part_bounds(pipeline, fragment, n_parts)

    def encode_part(part: tuple[int, int]) -> FragmentTokens:
        start, end = part
        return pipeline.encode(fragment[start:end], after_special and start == 0, encoder).moved(start)

    return join_tokens(share_out(encode_part, list(pairwise(bounds)), n_threads))


def _part_bounds(pipeline: Pipeline, fragment: NDArray[np.uint8], n_parts: int) -> list[int]:
    """The starts of parts of about equal lengths, and the end of the last; fewer if cuts are rare."""
    size = len(fragment)
    bounds = [0]
    for part in range(1, n_parts):
        position = size * part // n_parts
        if position > bounds[-1]:
            cut = pipeline.cut_after(fragment, position)
            if cut >= size:
                break
            bounds.append(cut)
    return [*bounds, size]


def share_out(function: Callable[[T], R], items: Sequence[T], n_threads: int) -> list[R]:
    """The results of a function that releases Python's lock, in order.

    The first error, in the order of the items, is raised here after all threads have stopped.  If the system
    refuses to start more threads, the existing ones do all the work.  Nothing waits for threads to start, as
    `threading` would: that takes as long as encoding a hundred short texts.
    """
    results: dict[int, R] = {}
    indexes = iter(range(len(items)))
    ended: SimpleQueue[tuple[int, BaseException] | None] = SimpleQueue()

    def work() -> None:
        index = 0
        try:
            for index in indexes:
                results[index] = function(items[index])
        except BaseException as error:
            ended.put((index, error))
        else:
            ended.put(None)
        for _ in indexes:  # after an error, no thread takes another item
            pass

    n_started = _start(work, min(n_threads, len(items)) - 1)
    work()
    failures = [failure for _ in range(n_started + 1) if (failure := ended.get()) is not None]
    if failures:
        raise min(failures, key=itemgetter(0))[1]
    return [results[index] for index in range(len(items))]


def _start(work: Callable[[], None], n_threads: int) -> int:
    """Start threads, and return how many of them the system allowed."""
    for n_started in range(n_threads):
        try:
            start_new_thread(work, ())
        except RuntimeError:
            return n_started
    return max(n_threads, 0)


class Shape(NamedTuple):
    """The size of rows: at most `most` ids each, and a width, "longest" or None as for `pad_batch`."""

    width: int | Literal["longest"] | None
    most: int


def n_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def row_by_row(groups: Sequence[Rows], affixes: Around) -> list[NDArray[np.int32]]:
    """The rows of all groups as one array each, with the ids of `affixes`."""
    n_around = [*map(len, affixes)]
    both = np.array([*affixes[0], *affixes[1]], np.int32)
    result: list[NDArray[np.int32]] = []
    for ids, counts in groups:
        ends = np.cumsum(counts)
        if len(both):
            indexes = np.repeat(np.stack([ends - counts, ends], axis=1), n_around, axis=1)
            ids = np.insert(ids, indexes.ravel(), np.tile(both, len(counts)))
            ends += len(both) * np.arange(1, len(ends) + 1)
        result += [ids[start:end] for start, end in pairwise([0, *ends.tolist()])]
    return result


def checked_shape(pad: Padding, truncate: SupportsIndex | None, n_after: int) -> Shape:
    """The arguments of `pad_batch` if `n_after` ids end each text; EncodeError if they are invalid."""
    if not (truncate is None or isinstance(truncate, SupportsIndex)):
        raise EncodeError(f"Rows cannot be truncated to “{truncate}”. Choose a number of tokens, or None.")
    most = NO_LIMIT if truncate is None else index(truncate)
    if most < n_after:
        raise EncodeError(
            f"A row of {counted(most, 'id')} has no room for the tokens that end each text. "
            f"Keep at least {n_after}."
        )
    if pad is None or pad == "longest":
        return Shape(pad, most)
    if not isinstance(pad, SupportsIndex) or (width := index(pad)) < 0:
        raise EncodeError(f"“{pad}” is not a padding. Choose “longest”, a number of tokens, or None.")
    return Shape(width, most)


def pad_batch(
    vocabulary: Vocabulary, groups: Sequence[Rows], affixes: Around, shape: Shape, n_threads: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Rows of ids as int32[rows, width], and an attention mask uint8[rows, width], 1 for tokens.

    shape.width  "longest", a number, or None if all rows must be equally long already
    shape.most   ids of a row; in longer ones the last ids of the text are cut, not those of `affixes`
    Padding is at the end, with the vocabulary's padding id, else its EOS id, else 0.
    Raises EncodeError if the rows do not fit.
    """
    before, after = (np.array(ids, np.int32) for ids in affixes)
    counts = np.concatenate([np.empty(0, np.int64), *(rows.counts for rows in groups)])
    lengths = np.minimum(counts + len(before) + len(after), shape.most)
    ids, mask = _new_arrays(len(lengths), _width(lengths, shape.width))
    special = vocabulary.special_ids
    filler = next((token_id for token_id in (special.pad, special.eos) if token_id is not None), 0)
    lasts = accumulate(len(rows.counts) for rows in groups)

    def write_rows(group: tuple[Rows, int]) -> None:
        rows, last = group
        here = slice(last - len(rows.counts), last)
        native.write_rows(*rows, (before, after), shape.most, filler, ids[here], mask[here])

    share_out(write_rows, list(zip(groups, lasts, strict=True)), n_threads if ids.size >= MANY_IDS else 1)
    return ids, mask


def _width(lengths: NDArray[np.int64], requested: int | Literal["longest"] | None) -> int:
    longest = int(lengths.max(initial=0))
    if isinstance(requested, int) and longest > requested:
        raise EncodeError(
            f"A text has {counted(longest, 'token')}, more than the width {requested}. "
            "Truncate, or pad to more."
        )
    if requested is None and (lengths != longest).any():
        raise EncodeError("The texts have different numbers of tokens. Pad or truncate them.")
    return requested if isinstance(requested, int) else longest


def _new_arrays(n_rows: int, width: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    if n_rows * width * BYTES_PER_ID > _memory_bytes():
        raise EncodeError(
            f"{n_rows:,} rows of {width:,} tokens need more memory than is available. Truncate, or "
            "leave out long texts."
        )
    return np.empty((n_rows, width), np.int32), np.zeros((n_rows, width), np.uint8)


def _memory_bytes() -> int:
    """The memory of this machine; if the system does not report it, assume a lot."""
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= os.sysconf_names.keys():
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 1 << 40
