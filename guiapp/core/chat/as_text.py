"""A prompt in tokens where content stays text: none of it takes part in a control token.

All else is as in the whole: text is still encoded in one go across the borders of content.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import Encoding
from guiapp.core.text.special_tokens import Partition
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.vocabulary import Vocabulary

Columns = tuple[list[int], ...]  # those of a Partition


def is_control(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """bool[n]: the tokens that a text only has where control tokens are parsed."""
    return vocabulary.attributes & (Attribute.CONTROL | Attribute.UNKNOWN) > 0


def content_as_text(
    tokenizer: Tokenizer, text: bytes, is_content: NDArray[np.bool_], add_special: bool
) -> Encoding:
    """The tokens of a prompt; `is_content` has an entry for each byte."""
    partition = _partition(tokenizer, np.frombuffer(text, np.uint8), is_content)
    found = tokenizer.encode_stretch(np.frombuffer(text, np.uint8), partition, True, None, True)
    before, after = tokenizer.special_ids_around() if add_special else ([], [])
    ids = np.concatenate([np.array(before, np.int32), found.ids, np.array(after, np.int32)])
    starts = np.concatenate([[0] * len(before), found.starts, [len(text)] * len(after)])
    ends = np.concatenate([[0] * len(before), found.ends, [len(text)] * len(after)])
    spans = np.stack([starts, ends], axis=1).astype(np.int64)
    return Encoding(text, ids, spans, next(iter(tokenizer.encoders)))


def _partition(tokenizer: Tokenizer, text: NDArray[np.uint8], is_content: NDArray[np.bool_]) -> Partition:
    """As it would be if content had no control tokens; but it may have others."""
    special, control = tokenizer.special_tokens, is_control(tokenizer.vocabulary)
    masked, n_before = text.copy(), np.concatenate([[0], np.cumsum(is_content)])
    mask = _byte_of_none(tokenizer)
    while True:  # each time some more content is masked
        found = special.partition(masked, True)
        rows = np.flatnonzero(control[found.ids] & (n_before[found.ends] > n_before[found.starts]))
        if not len(rows):
            break
        for row in rows.tolist():
            place = slice(found.starts[row], found.ends[row])
            masked[place][is_content[place]] = mask
    return _with_others(tokenizer, found, text, masked)


def _byte_of_none(tokenizer: Tokenizer) -> int:
    """One that no special token has: texts of GGUF have no NUL, those of JSON no 0xFF."""
    data, offsets = tokenizer.vocabulary.unmarked_texts
    rows = tokenizer.special_tokens.searched_for(True).tolist()
    held = b"".join(data[offsets[row] : offsets[row + 1]].tobytes() for row in rows)
    return min(set(range(256)).difference(held))


def _with_others(
    tokenizer: Tokenizer, found: Partition, text: NDArray[np.uint8], masked: NDArray[np.uint8]
) -> Partition:
    """With the user-defined tokens that are found in what was masked."""
    parts = list[Columns]()
    for start, end in zip(found.raw_starts.tolist(), found.raw_ends.tolist(), strict=True):
        if np.array_equal(text[start:end], masked[start:end]):
            parts.append(([], [], [], [start], [end]))
        else:
            inner = tokenizer.special_tokens.partition(text[start:end].copy(), False)
            places = (inner.starts, inner.ends, inner.raw_starts, inner.raw_ends)
            parts.append((inner.ids.tolist(), *((each + start).tolist() for each in places)))
    in_numbers = (each.tolist() for each in (found.ids, found.starts, found.ends))
    tokens: list[Columns] = [([a], [b], [c], [], []) for a, b, c in zip(*in_numbers, strict=True)]
    in_order = [*chain.from_iterable(zip(parts, tokens, strict=False)), parts[-1]]
    columns = [list(chain.from_iterable(column)) for column in zip(*in_order, strict=True)]
    return Partition(np.array(columns[0], np.int32), *(np.array(each, np.int64) for each in columns[1:]))
