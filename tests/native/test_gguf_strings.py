"""Strings of a GGUF file are found, cut and named as plain Python does it, whatever their lengths claim."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from arrays import as_array
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from guiapp.native.model_files import count_unsplittable, pack_gguf_strings, packed, skip_gguf_strings

TEXTS = st.lists(st.binary(max_size=4) | st.text("ab \0é", max_size=12).map(str.encode), max_size=30)
MERGES = st.lists(st.text("ab é", max_size=6).map(str.encode), max_size=30)


def as_in_file(texts: list[bytes]) -> NDArray[np.uint8]:
    return as_array(b"".join(len(text).to_bytes(8, "little") + text for text in texts))


@given(TEXTS, st.booleans())
def test_strings_are_cut_at_the_first_nul_and_empty_ones_named(texts, name_empty):
    result, offsets, n_odd = pack_gguf_strings(as_in_file(texts), 0, len(texts), name_empty)
    cut = [text.split(b"\0")[0] for text in texts]
    expected = [text or (b"[EMPTY_%d]" % row) * name_empty for row, text in enumerate(cut)]
    assert [result[start:end].tobytes() for start, end in pairwise(offsets.tolist())] == expected
    assert n_odd == sum(not after or after != before for before, after in zip(texts, cut, strict=True))


@given(TEXTS, st.integers(0, 30), st.integers(0, 9))
def test_whole_strings_are_skipped(texts, count, n_missing):
    data = as_in_file(texts)
    ends = np.cumsum([0, *(8 + len(text) for text in texts)])
    n_whole = min(count, int(np.searchsorted(ends, len(data) - n_missing, side="right")) - 1)
    if n_whole >= 0:
        result = skip_gguf_strings(data[: len(data) - n_missing], 0, count)
        assert result == (n_whole, ends[n_whole])


@pytest.mark.parametrize("length", [5, 1 << 32, (1 << 63) - 9, (1 << 64) - 8, (1 << 64) - 1])
def test_a_string_that_claims_too_much_is_not_taken(length):
    data = as_array(length.to_bytes(8, "little") + b"four")
    assert skip_gguf_strings(data, 0, 1) == (0, 0)
    with pytest.raises(ValueError, match="not whole"):
        pack_gguf_strings(data, 0, 1, name_empty=False)


@given(MERGES)
def test_merges_without_two_sides_are_counted(merges):
    assert count_unsplittable(*packed(merges)) == sum(b" " not in merge[1:] for merge in merges)
