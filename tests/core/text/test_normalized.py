"""Which source bytes the bytes of a normalised text stand for."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from guiapp.core.text.normalized import (
    NormalizedBuilder,
    character_start,
    code_points,
    common_ends,
    decode,
    distinct,
    encode,
    from_source,
    n_equal_from_start,
    sizes_in_bytes,
    source_spans,
)
from guiapp.native.model_files import packed, sliced


def built(*segments):
    builder = NormalizedBuilder()
    for output, start, end in segments:
        builder.append(output, start, end)
    return builder.build()


def test_dropped_text_belongs_to_no_token():
    text = built((b"a", 0, 1), (b"", 1, 3), (b"b", 3, 4))
    starts, ends = source_spans(text, np.array([0, 1]), np.array([1, 2]))
    assert (starts.tolist(), ends.tolist()) == ([0, 3], [1, 4])


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=6), st.integers(0, 6)), max_size=20))
def test_segments_tile_the_source(segments):
    builder, at = NormalizedBuilder(), 0
    for output, n_source in segments:
        builder.append(output, at, at + n_source)
        at += n_source
    text = builder.build()
    assert text.data.tobytes() == b"".join(output for output, _ in segments)
    edges = [0, *text.ends.tolist()]
    assert text.starts.tolist() == edges[:-1]
    assert edges[-1] == at


def as_lists(text):
    return text.data.tobytes(), text.starts.tolist(), text.ends.tolist()


def test_a_builder_drops_and_extends_its_last_output():
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


MESSY = st.lists(
    st.sampled_from(["a", "é", "字", "😀"]).map(str.encode) | st.binary(min_size=1, max_size=2), max_size=8
).map(b"".join)


@given(data=MESSY)
@example(data=b"\xed\xa0\x80\xe2\x82")
def test_character_starts_are_those_of_the_decoded_text(data):
    starts = {0}
    for character in decode(data):
        starts.add(max(starts) + len(encode(character)))
    for offset in range(len(data) + 1):
        assert character_start(data, offset) == max(start for start in starts if start <= offset)


@given(data=st.binary())
def test_decoding_loses_no_byte(data):
    assert encode(decode(data)) == data


@given(data=MESSY)
@example(data="\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode())
@example(data=b"\x80\xff\xc3")
def test_characters_are_as_long_as_the_bytes_that_they_become(data):
    text = decode(data)
    points = code_points(text)
    assert points.tolist() == [*map(ord, text)]
    assert sizes_in_bytes(points).tolist() == [len(encode(character)) for character in text]


def prefix_of(texts):
    """What all of some texts begin with."""
    first = texts[0]
    sizes = range(len(first), -1, -1)
    return next(first[:size] for size in sizes if all(text.startswith(first[:size]) for text in texts))


SHORT = st.text("ab😀", max_size=6)


@given(one=SHORT, other=SHORT)
def test_two_texts_are_alike_up_to_where_they_differ(one, other):
    start = len(prefix_of([one, other]))
    end = len(prefix_of([one[start:][::-1], other[start:][::-1]]))
    arrays = [np.array([ord(character) for character in text], np.int32) for text in (one, other)]
    assert common_ends(one, other) == common_ends(*arrays) == (start, end)
    assert n_equal_from_start(*arrays) == start
    data, more = one.encode(), other.encode()
    start = len(prefix_of([data, more]))
    end = len(prefix_of([data[start:][::-1], more[start:][::-1]]))
    assert common_ends(data, more) == (start, end)


@given(st.lists(SHORT.map(str.encode)))
def test_texts_in_one_array_come_apart_again(texts):
    assert sliced(*packed(texts)) == texts


@given(st.lists(st.integers(-3, 9), max_size=20))
def test_each_value_is_there_once_in_order(values):
    array = np.array(values, np.int64)
    assert distinct(array).tolist() == np.unique(array).tolist()
    assert distinct(np.stack([array, array])).tolist() == np.unique(array).tolist()
