"""The prompt: its rows, and where turns begin new ones."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.kit.prompt.view import TurnBlocks

TEXT = st.text(alphabet="ab\n", max_size=40).map(str.encode)


def turns_in(data, places):
    return np.array(sorted({place for place in places if 0 < place < len(data)}), np.int64)


def parts(blocks, data):
    return [data[blocks.start(at) : blocks.end(at)] for at in range(len(blocks))]


def test_two_newlines_stand_in_one_row_and_turns_have_an_empty_one_above():
    data = b"a\n\nb\n\n\nc<end>d"
    blocks = TurnBlocks(TextBuffer(data), SimpleNamespace(turns=np.array([12], np.int64)))
    assert parts(blocks, data) == [b"a\n\n", b"b\n\n", b"\n", b"c<end", b"", b">d"]


@given(TEXT, TEXT, st.lists(st.integers(0, 40), max_size=4), st.lists(st.integers(0, 40), max_size=4))
def test_after_an_edit_blocks_are_as_if_cut_anew(before, after, old, new):
    spans, buffer = SimpleNamespace(turns=turns_in(before, old)), TextBuffer(before)
    blocks = TurnBlocks(buffer, spans)
    n_before = len(blocks)
    buffer.set_text(after)
    spans.turns = turns_in(after, new)
    splice = blocks.apply(TextEdit(0, len(before), len(after), 0))
    assert n_before - splice.removed + splice.added == len(blocks)
    assert b"".join(parts(blocks, after)) == after
    assert blocks.starts.tolist() == TurnBlocks(buffer, spans).starts.tolist()
