"""What texts have in common at their ends, and texts side by side in one array."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.normalized import common_beginnings, common_ends, n_equal_from_start
from guiapp.native.model_files import packed, sliced


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


@given(st.lists(SHORT.filter(bool).map(str.encode)))
def test_of_texts_with_the_same_first_byte_the_beginning_is_told(texts):
    groups = {text[:1]: [each for each in texts if each[:1] == text[:1]] for text in texts}
    assert common_beginnings(texts) == [prefix_of(each) for each in groups.values()]


@given(st.lists(SHORT.map(str.encode)))
def test_texts_in_one_array_come_apart_again(texts):
    assert sliced(*packed(texts)) == texts
