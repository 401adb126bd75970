"""The prompt: its rows, and where turns begin new ones."""

from types import SimpleNamespace

import numpy as np
from gguf_builder import write_vocab
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.core.vocabulary.byte_alphabet import spell
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
def test_blocks_after_an_edit_equal_newly_split_blocks(before, after, old, new):
    spans, buffer = SimpleNamespace(turns=turns_in(before, old)), TextBuffer(before)
    blocks = TurnBlocks(buffer, spans)
    n_before = len(blocks)
    buffer.set_text(after)
    spans.turns = turns_in(after, new)
    splice = blocks.apply(TextEdit(0, len(before), len(after), 0))
    assert n_before - splice.removed + splice.added == len(blocks)
    assert b"".join(parts(blocks, after)) == after
    assert blocks.starts.tolist() == TurnBlocks(buffer, spans).starts.tolist()


def test_markup_in_a_token_of_the_model_is_shown_as_it_is(open_page, tmp_path, qtbot):
    tokens = [*spell(bytes(range(256))), "<b>E</b>"]
    keys = {"tokenizer.chat_template": "{% for message in messages %}{{ message.content }}{% endfor %}"}
    types = [1] * 256 + [4]  # user-defined: found as it is
    path = tmp_path / "x.gguf"
    write_vocab(path, model="gpt2", pre="gpt-2", tokens=tokens, types=types, merges=[], keys=keys)
    page = open_page(str(path), [{"role": "user", "content": "<b>E</b>"}])
    qtbot.waitUntil(lambda: page.model.encoding is not None and 256 in page.model.encoding.token_ids)
    page.model.select_token(page.model.encoding.token_ids.tolist().index(256))
    shown = [label for label in page.findChildren(QLabel) if label.isVisible() and "E</b>" in label.text()]
    assert shown
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in shown)
