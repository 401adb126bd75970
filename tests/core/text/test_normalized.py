"""Which source bytes the bytes of a normalised text stand for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.normalized import NormalizedBuilder, source_spans


def built(*stretches):
    builder = NormalizedBuilder()
    for output, start, end in stretches:
        builder.append(output, start, end)
    return builder.build()


def spans_of_bytes(text):
    return list(zip(text.starts.tolist(), text.ends.tolist(), strict=True))


def test_a_space_that_became_three_bytes_belongs_to_the_first():
    assert spans_of_bytes(built((b"\xe2\x96\x81", 4, 5))) == [(4, 5), (5, 5), (5, 5)]


def test_the_last_byte_of_a_shorter_replacement_takes_what_is_left():
    assert spans_of_bytes(built((b"fi", 1, 4))) == [(1, 2), (2, 4)]


def test_inserted_text_has_the_empty_span():
    assert spans_of_bytes(built((b"ab", 7, 7))) == [(7, 7), (7, 7)]


def test_dropped_text_belongs_to_no_token():
    text = built((b"a", 0, 1), (b"", 1, 3), (b"b", 3, 4))
    starts, ends = source_spans(text, np.array([0, 1]), np.array([1, 2]))
    assert (starts.tolist(), ends.tolist()) == ([0, 3], [1, 4])


def test_unchanged_text_keeps_its_positions():
    starts, ends = source_spans(None, np.array([0, 2]), np.array([2, 5]))
    assert (starts.tolist(), ends.tolist()) == ([0, 2], [2, 5])


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=6), st.integers(0, 6)), max_size=20))
def test_stretches_tile_the_source(stretches):
    builder, at = NormalizedBuilder(), 0
    for output, n_source in stretches:
        builder.append(output, at, at + n_source)
        at += n_source
    text = builder.build()
    assert text.data.tobytes() == b"".join(output for output, _ in stretches)
    edges = [0, *text.ends.tolist()]
    assert text.starts.tolist() == edges[:-1]
    assert edges[-1] == at
