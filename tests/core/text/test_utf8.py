from __future__ import annotations

import numpy as np
import pytest
from arrays import as_array
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text import utf8

BYTES_THAT_MATTER = st.sampled_from(
    [0x41, 0x80, 0x90, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF7, 0xF8]
)
HOSTILE = st.lists(BYTES_THAT_MATTER | st.integers(0, 255), max_size=40).map(bytes)
REPLACED = "\N{REPLACEMENT CHARACTER}".encode()


@pytest.mark.parametrize("text", [b"", b"plain", "汉字 é 🚀".encode(), b"\xed\xa0\x80", b"\xf4\x8f\xbf\xbf"])
def test_valid_text_and_surrogates_need_no_repair(text):
    assert utf8.repair(as_array(text)) is None
    assert utf8.repair_readable(text) is None


@pytest.mark.parametrize(
    ("text", "repaired", "spans"),
    [
        (b"\xff", REPLACED, [(0, 1), (1, 1), (1, 1)]),
        (b"\xe2\x82", REPLACED * 2, [(0, 1), (1, 1), (1, 1), (1, 2), (2, 2), (2, 2)]),
        (b"\xc0\x80", b"\0", [(0, 2)]),
        (b"a\xe0\x83\xa9", "aé".encode(), [(0, 1), (1, 2), (2, 4)]),
        (b"\xf0\x82\x82\xac", "€".encode(), [(0, 1), (1, 2), (2, 4)]),
        (
            b"\xf4\x90\x80\x80",
            REPLACED * 4,
            [s for i in range(4) for s in [(i, i + 1), (i + 1, i + 1), (i + 1, i + 1)]],
        ),
    ],
)
def test_broken_text_is_repaired_with_source_spans(text, repaired, spans):
    for result in (utf8.repair(as_array(text)), utf8.repair_readable(text)):
        assert result is not None
        assert result.data.tobytes() == repaired
        assert list(zip(result.starts, result.ends, strict=True)) == spans


@given(HOSTILE)
def test_native_and_reference_implementations_agree(text):
    fast, readable = utf8.repair(as_array(text)), utf8.repair_readable(text)
    if readable is None:
        assert fast is None
    else:
        assert fast is not None
        assert all(np.array_equal(*pair) for pair in zip(fast, readable, strict=True))


@given(HOSTILE)
def test_spans_tile_the_text_and_repaired_text_needs_no_repair(text):
    repaired = utf8.repair(as_array(text))
    if repaired is not None:
        assert np.array_equal(repaired.starts[1:], repaired.ends[:-1])
        assert (repaired.starts[0], repaired.ends[-1]) == (0, len(text))
        assert utf8.repair(repaired.data) is None
