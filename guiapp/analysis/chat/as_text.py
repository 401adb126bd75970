"""Encode a prompt so that content stays text: no byte of content becomes part of a control token.

Text is still encoded in one go across the borders of content.  Control tokens arise in three ways, and all
three are prevented: by search in the text, by search in the normalised text, and by the model itself, which
can build a control token like any other token.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import Encoding, FragmentTokens
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.special_tokens import Partition, join_segments
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.merges import without_texts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError

if TYPE_CHECKING:
    from guiapp.core.encode.families.components import PartsPipeline
    from guiapp.core.text.normalized import NormalizedText
    from guiapp.core.text.special_tokens import Found

Columns = tuple[list[int], ...]  # the columns of a Partition
Cut = Callable[[NDArray[np.uint8], bool], Partition]  # of a text and whether to parse control tokens
NO_TEXT = 0xFF  # a byte that no normalised text contains


def is_control(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """bool[n]: the tokens that occur in a text only if control tokens are parsed."""
    return vocabulary.attributes & (Attribute.CONTROL | Attribute.UNKNOWN) > 0


def content_as_text(
    tokenizer: Tokenizer, text: bytes, is_content: NDArray[np.bool_], add_special: bool
) -> Encoding:
    """Encode a prompt; `is_content` has an entry for each byte.

    Text that the model can express only by control tokens still becomes control tokens.
    """
    result = _tokens(tokenizer, np.frombuffer(text, np.uint8), is_content)
    before, after = tokenizer.special_affixes() if add_special else ([], [])
    ids = np.concatenate([np.array(before, np.int32), result.ids, np.array(after, np.int32)])
    starts = np.concatenate([[0] * len(before), result.starts, [len(text)] * len(after)])
    ends = np.concatenate([[0] * len(before), result.ends, [len(text)] * len(after)])
    spans = np.stack([starts, ends], axis=1).astype(np.int64)
    return Encoding(text, ids, spans, next(iter(tokenizer.encoders)))


def _tokens(tokenizer: Tokenizer, text: NDArray[np.uint8], is_content: NDArray[np.bool_]) -> FragmentTokens:
    """The tokens of a prompt without BOS and EOS."""
    marks = _Marks(is_control(tokenizer.vocabulary), np.concatenate([[0], np.cumsum(is_content)]))
    cut = tokenizer.special_tokens.partition
    partition = _partition(cut, text, marks, _byte_of_none(tokenizer))
    result = _encoded(tokenizer, text, partition, marks)
    if not marks.has_control(text, result, tokenizer.vocabulary):
        return result
    rows = np.flatnonzero(marks.is_control)
    try:
        return _encoded(Tokenizer(without_texts(tokenizer.vocabulary, rows)), text, partition, marks)
    except EncodeError:
        return result


class _Marks(NamedTuple):
    """Marks of control tokens and of content.

    is_control  bool[n_tokens]
    n_before    int64[n_bytes + 1]: how many bytes of content precede each offset
    """

    is_control: NDArray[np.bool_]
    n_before: NDArray[np.int64]

    def have_content(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """bool[k]: the spans of the text that contain some content."""
        result: NDArray[np.bool_] = self.n_before[ends] > self.n_before[starts]
        return result

    def has_control(self, text: NDArray[np.uint8], result: FragmentTokens, vocabulary: Vocabulary) -> bool:
        """Whether some content became a control token other than the unknown token."""
        rows = np.flatnonzero(self.is_control[result.ids])
        rows = rows[self.have_content(result.starts[rows], result.ends[rows])]
        ids = result.ids[rows]
        is_unknown = vocabulary.effective_attributes[ids] & Attribute.UNKNOWN > 0
        if not is_unknown.all():
            return True
        data = text.tobytes() if len(ids) else b""
        return any(vocabulary.raw_text(token_id) in data for token_id in np.unique(ids).tolist())


def _encoded(
    tokenizer: Tokenizer, text: NDArray[np.uint8], partition: Partition, marks: _Marks
) -> FragmentTokens:
    """The tokens of a text; special tokens are also matched in the normalised text."""
    parts, encoder = tokenizer.vocabulary.parts, next(iter(tokenizer.encoders))
    if parts is None or parts.normalizes_nothing or not any(each.normalized for each in parts.added_tokens):
        return tokenizer.encode_segment(text, partition, True, encoder, True)
    from guiapp.core.encode.families.components import PartsPipeline

    pipeline = tokenizer.pipeline
    assert isinstance(pipeline, PartsPipeline), "no other one searches the normalised text"

    def encode_fragment(start: int, end: int) -> FragmentTokens:
        find = partial(_special_matches, pipeline, marks, start)
        return pipeline.encode_finding(text[start:end], tokenizer.begins_text_at(start, True), encoder, find)

    return join_segments(partition, encode_fragment)


def _special_matches(pipeline: PartsPipeline, marks: _Marks, start: int, normal: NormalizedText) -> Found:
    """Special tokens in a normalised fragment that begins at `start`.

    A character that the normalizer inserted counts as content if a byte next to it does.
    """
    from guiapp.core.text.special_tokens import partition_of

    is_inserted = normal.starts == normal.ends
    starts = np.maximum(normal.starts + start - is_inserted, 0)
    ends = np.minimum(normal.ends + start + is_inserted, len(marks.n_before) - 1)
    inner = _Marks(marks.is_control, np.concatenate([[0], np.cumsum(marks.have_content(starts, ends))]))

    def cut(text: NDArray[np.uint8], parse_special: bool) -> Partition:
        return partition_of(pipeline.search.find(text, parse_special), len(text))

    result = _partition(cut, normal.data, inner, NO_TEXT)
    return list(zip(result.ids.tolist(), result.starts.tolist(), result.ends.tolist(), strict=True))


def _partition(cut: Cut, text: NDArray[np.uint8], marks: _Marks, mask: int) -> Partition:
    """The partition without control tokens in content; other special tokens are still matched there."""
    masked, is_content = text.copy(), np.diff(marks.n_before) > 0
    while True:  # each round masks more content
        result = cut(masked, True)
        rows = np.flatnonzero(marks.is_control[result.ids] & marks.have_content(result.starts, result.ends))
        if not len(rows):
            break
        steps = np.zeros(len(text) + 1, np.int8)  # tokens do not overlap
        steps[result.starts[rows]] += 1
        steps[result.ends[rows]] -= 1
        masked[is_content & (np.cumsum(steps[:-1]) > 0)] = mask
    return _with_others(cut, result, text, masked)


def _byte_of_none(tokenizer: Tokenizer) -> int:
    """A byte that no special token contains: texts in GGUF contain no NUL, texts in JSON no 0xFF."""
    data, offsets = tokenizer.vocabulary.unmarked_texts
    rows = tokenizer.special_tokens.searched_for(True).tolist()
    held = b"".join(data[offsets[row] : offsets[row + 1]].tobytes() for row in rows)
    return min(set(range(256)).difference(held))


def _with_others(
    cut: Cut, result: Partition, text: NDArray[np.uint8], masked: NDArray[np.uint8]
) -> Partition:
    """The partition with the user-defined tokens that the masked text contains."""
    n_masked = np.concatenate([[0], np.cumsum(text != masked)])
    parts = list[Columns]()
    for start, end in zip(result.raw_starts.tolist(), result.raw_ends.tolist(), strict=True):
        if n_masked[start] == n_masked[end]:
            parts.append(([], [], [], [start], [end]))
        else:
            inner = cut(text[start:end].copy(), False)
            bounds = (inner.starts, inner.ends, inner.raw_starts, inner.raw_ends)
            parts.append((inner.ids.tolist(), *((each + start).tolist() for each in bounds)))
    in_numbers = (each.tolist() for each in (result.ids, result.starts, result.ends))
    tokens: list[Columns] = [([a], [b], [c], [], []) for a, b, c in zip(*in_numbers, strict=True)]
    in_order = [*chain.from_iterable(zip(parts, tokens, strict=False)), parts[-1]]
    columns = [list(chain.from_iterable(column)) for column in zip(*in_order, strict=True)]
    return Partition(np.array(columns[0], np.int32), *(np.array(each, np.int64) for each in columns[1:]))
