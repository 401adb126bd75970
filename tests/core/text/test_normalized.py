"""Which source bytes the bytes of a normalised text stand for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.normalized import NormalizedBuilder, joined, source_spans


def built(*stretches):
    builder = NormalizedBuilder()
    for output, start, end in stretches:
        builder.append(output, start, end)
    return builder.build()


def test_stretches_side_by_side_are_one():
    parts = [(b"ab", 0, 1), (b"c", 1, 4)]
    for some in (parts, parts[:1], []):
        together, apart = built(*some), joined([built(part) for part in some])
        assert [each.tolist() for each in apart] == [each.tolist() for each in together]


def test_dropped_text_belongs_to_no_token():
    text = built((b"a", 0, 1), (b"", 1, 3), (b"b", 3, 4))
    starts, ends = source_spans(text, np.array([0, 1]), np.array([1, 2]))
    assert (starts.tolist(), ends.tolist()) == ([0, 3], [1, 4])


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
