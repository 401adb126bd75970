"""Which file a text belongs to, step by step through undo and redo."""

from pathlib import Path

import pytest

from guiapp.analysis.editing.text_buffer import TextBuffer
from guiapp.kit.session.text_session import TextOrigins

A, B = Path("/a"), Path("/b")


class Editor:
    """A buffer and the origins of its texts, as the session leads them."""

    def __init__(self):
        self.buffer, self.origins = TextBuffer(b"first"), TextOrigins()

    @property
    def present(self):
        return self.origins.present.path, self.origins.present.is_modified

    def type(self):
        self.buffer.replace(0, 0, b"x")
        self.buffer.end_undo_step()
        self.origins.note_edit(self.buffer)

    def open(self, path, is_modified=False):
        self.buffer.replace(0, len(self.buffer), b"text of a file")
        self.origins.replace(path, self.buffer.mark_last(), is_modified)

    def save(self, path, is_modified=False):
        self.buffer.end_undo_step()
        self.origins.set_file(path, self.buffer.mark_last(), is_modified)

    def undo(self):
        self.buffer.undo()
        self.origins.note_edit(self.buffer)

    def redo(self):
        self.buffer.redo()
        self.origins.note_edit(self.buffer)


@pytest.fixture
def editor():
    return Editor()


def test_a_new_text_has_no_file_and_nothing_to_save(editor):
    assert editor.present == (None, False)
    editor.type()
    assert editor.present == (None, True)
    editor.undo()
    assert editor.present == (None, False)


def test_each_text_has_its_file_whatever_way_one_comes_to_it(editor):
    editor.open(A)
    editor.type()
    editor.open(B)
    seen = [editor.present]
    for step in (editor.undo, editor.undo, editor.undo, editor.redo, editor.redo, editor.redo):
        step()
        seen.append(editor.present)
    assert seen == [(B, False), (A, True), (A, False), (None, False), (A, False), (A, True), (B, False)]


def test_a_text_that_was_typed_over_is_left_for_good(editor):
    editor.open(A)
    editor.open(B)
    editor.undo()
    editor.type()
    assert editor.present == (A, True)
    assert [origin.path for origin in editor.origins._origins] == [None, A]
    editor.undo()
    editor.undo()
    editor.open(B)
    assert [origin.path for origin in editor.origins._origins] == [None, B]
    assert editor.present == (B, False)


@pytest.mark.parametrize("is_modified", [False, True])
def test_a_changed_version_stays_one_until_it_is_saved(editor, is_modified):
    editor.open(A, is_modified)
    assert editor.present == (A, is_modified)
    editor.type()
    editor.undo()
    assert editor.present == (A, is_modified)
    editor.save(B, is_modified)
    editor.type()
    editor.undo()
    assert editor.present == (B, is_modified)


@pytest.mark.parametrize("is_modified", [False, True])
def test_to_begin_forgets_all_texts_before(editor, is_modified):
    editor.open(A)
    editor.buffer.set_text(b"kept")
    editor.origins.begin(B, is_modified)
    assert editor.present == (B, is_modified)
    assert len(editor.origins._origins) == 1
    editor.type()
    assert editor.present == (B, True)
    editor.undo()
    assert editor.present == (B, is_modified)
