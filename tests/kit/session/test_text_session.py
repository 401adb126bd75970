"""A text, its file and what undo does to that, through its signals."""

import pytest

from guiapp.kit.session.text_session import TextSession


@pytest.fixture
def text(qapp):
    made = TextSession(b"one two three")
    yield made
    made.close()


def test_undo_brings_back_the_file_that_a_text_belongs_to(text, qtbot, tmp_path):
    paths = [tmp_path / "first.txt", tmp_path / "second.txt"]
    for path in paths:
        path.write_bytes(path.name.encode())
        with qtbot.waitSignal(text.file_changed):
            text.open(path)
    document = text.document
    document.insert(b"typed ")
    states = [(text.path, text.is_modified)]
    for change in (document.undo, document.undo, document.undo, document.redo, document.redo):
        change()
        states.append((text.path, text.is_modified))
    first, second = paths
    assert states == [
        (second, True),
        (second, False),
        (first, False),
        (None, False),
        (first, False),
        (second, False),
    ]


def test_undo_to_what_is_in_the_file_leaves_nothing_to_save(text, tmp_path):
    document, path = text.document, tmp_path / "words.txt"
    document.insert(b"a")
    assert text.is_modified
    assert text.save(path)
    document.insert(b"b")
    modified = [text.is_modified]
    for change in (document.undo, document.undo, document.redo, document.redo):
        change()
        modified.append(text.is_modified)
    assert modified == [True, False, True, False, True]
    document.undo()
    document.undo()
    document.insert(b"c")  # no step leads to what is in the file any more
    assert text.is_modified
    document.undo()
    assert text.is_modified
    text.restore(b"kept", path)
    document.insert(b"d")
    document.undo()
    assert text.is_modified  # it was not in the file


def test_a_text_typed_over_what_was_undone_keeps_its_own_file(text, qtbot, tmp_path):
    path = tmp_path / "opened.txt"
    path.write_bytes(b"from a file")
    with qtbot.waitSignal(text.file_changed):
        text.open(path)
    text.document.undo()
    text.document.insert(b"mine")
    assert (text.path, text.is_modified) == (None, True)
    text.document.undo()
    text.document.redo()
    assert (text.path, text.is_modified) == (None, True)
    assert text.save(tmp_path / "mine.txt")
    assert path.read_bytes() == b"from a file"


def test_a_text_file_that_is_missing_leaves_the_text(text, qtbot, tmp_path):
    with qtbot.waitSignal(text.failed) as failed:
        text.open(tmp_path / "none.txt")
    assert "none.txt cannot be opened" in failed.args[0]
    assert text.document.text() == b"one two three"


def test_a_text_that_cannot_be_saved_stays_modified(text, qtbot, tmp_path):
    text.document.replace(0, 0, b"x")
    with qtbot.waitSignal(text.failed):
        assert not text.save(tmp_path / "no folder" / "saved.txt")
    assert text.is_modified


def test_pointing_out_a_span_does_not_select_it(text, qtbot):
    with qtbot.waitSignal(text.pointed_out) as pointed:
        text.point_out(4, 7)
    assert pointed.args == [4, 7]
    assert text.document.selection == (0, 0)


def test_an_empty_text_in_place_of_an_empty_one_is_no_step(qtbot, tmp_path):
    text = TextSession()
    path = tmp_path / "empty.txt"
    path.touch()
    with qtbot.waitSignal(text.file_changed):
        text.open(path)
    assert (text.path, text.is_modified, text.document.can_undo) == (path, False, False)
    text.document.insert(b"x")
    text.document.undo()
    assert (text.path, text.is_modified) == (path, False)
    text.close()


def test_saving_ends_a_step_of_undo(text, tmp_path):
    text.document.insert(b"a")
    text.save(tmp_path / "text.txt")
    text.document.insert(b"b")
    text.document.undo()
    assert text.document.text() == b"aone two three"
