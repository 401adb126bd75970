"""Which source bytes the bytes of a normalised text stand for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.normalized import NormalizedBuilder, from_source, joined, source_spans


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


def as_lists(text):
    return text.data.tobytes(), text.starts.tolist(), text.ends.tolist()


def test_text_that_nobody_changed_is_its_own_source():
    starts, ends = np.array([0, 2]), np.array([2, 5])
    assert source_spans(None, starts, ends) == (starts, ends)


def test_a_builder_takes_back_and_stretches_what_came_last():
    builder = NormalizedBuilder()
    builder.extend(3)
    assert len(builder) == 0
    assert not builder.drop_last(b"a")
    builder.append(b"ab", 2, 6)
    assert (len(builder), builder.start, builder.end) == (2, 2, 6)
    builder.extend(8)
    assert (builder.start, builder.end) == (2, 8)
    assert not builder.drop_last(b"a")
    assert as_lists(builder.build()) == (b"ab", [2, 6], [6, 8])
    assert builder.drop_last(b"b")
    assert (len(builder), builder.end) == (1, 6)
    builder.append(b"xyz", 3, 5)
    builder.append(b"", 5, 7)
    assert as_lists(builder.build()) == (b"axyz", [2, 3, 5, 5], [6, 5, 5, 5])


def test_what_became_of_repaired_text_comes_of_the_broken_one():
    repaired = built((b"a", 0, 1), ("\ufffd".encode(), 1, 2), (b"b", 2, 3))
    normal = built(
        (b"", 0, 0), (b" ", 0, 0), (b"A", 0, 1), (b"?", 1, 4), (b"-", 4, 4), (b"B", 4, 5), (b"!", 5, 5)
    )
    assert as_lists(from_source(normal, repaired)) == (
        b" A?-B!",
        [0, 0, 1, 2, 2, 3],
        [0, 1, 2, 2, 3, 3],
    )
    assert from_source(normal, None) is normal
    assert from_source(normal, built()) is normal
