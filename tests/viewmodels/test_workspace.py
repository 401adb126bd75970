"""The state that all pages share, through its signals."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer

import guiapp
from guiapp.core.errors import VocabError
from guiapp.viewmodels.text import live_spans
from guiapp.viewmodels.workspace import Workspace


def load(name, pre, progress):
    progress(0.5)
    if name == "broken.gguf":
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    return FakeTokenizer(name)


@pytest.fixture
def workspace(qtbot):
    made = Workspace(b"one two three", load=load)
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("first.gguf")
    yield made
    made.close()


def edit(qtbot, workspace, *change):
    workspace.document.replace(*change)
    qtbot.waitUntil(lambda: not workspace.is_encoding)


def test_opening_a_model_encodes_the_text(workspace):
    assert workspace.vocabulary.name == "first.gguf"
    assert workspace.token_ids(0, 9).tolist() == [0, 1, 3, 4]
    assert [workspace.span(index) for index in range(4)] == [(0, 0), (0, 3), (3, 7), (7, 13)]


def test_no_old_token_is_left_when_another_vocabulary_is_told(workspace, qtbot):
    left = []
    workspace.vocabulary_changed.connect(lambda: left.append(workspace.n_tokens))
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("second.gguf")
    assert left == [0]


def test_a_small_edit_is_encoded_at_once(workspace):
    workspace.document.replace(3, 3, b" two")
    assert workspace.token_ids(0, 9).tolist() == [0, 1, 3, 3, 4]
    assert [workspace.span(index) for index in range(5)] == [(0, 0), (0, 3), (3, 7), (7, 11), (11, 17)]
    assert workspace.statistics.n_characters == 17


@pytest.mark.parametrize(("hovered", "left"), [(2, 2), (3, None)])
def test_a_token_is_pointed_at_as_long_as_there_are_so_many(workspace, hovered, left, qtbot):
    workspace.hover_token(hovered)
    edit(qtbot, workspace, 7, 13, b"")  # leaves three
    assert (workspace.n_tokens, workspace.hovered_token) == (3, left)


@pytest.fixture
def in_the_background(monkeypatch):
    """No edit is small enough to be encoded at once."""
    monkeypatch.setattr(live_spans, "MOST_AT_ONCE", -1)


@pytest.mark.usefixtures("in_the_background")
def test_a_large_edit_is_encoded_in_the_background(workspace, qtbot):
    edit(qtbot, workspace, 3, 3, b" two")
    assert workspace.token_ids(0, 9).tolist() == [0, 1, 3, 3, 4]


@pytest.mark.usefixtures("in_the_background")
def test_removed_text_takes_its_spans_along(workspace):
    workspace.document.replace(1, 9, b"")
    spans = [workspace.span(index) for index in range(workspace.n_tokens)]
    assert spans == [(0, 0), (0, 1), (1, 5)]


def test_the_old_model_serves_until_the_new_one_is_ready(qtbot):
    may_end = threading.Event()

    def slow_load(name, pre, progress):
        if name == "slow":
            may_end.wait(PATIENCE_S)
        return FakeTokenizer(name)

    workspace = Workspace(b"one", load=slow_load)
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("first")
    workspace.loader.open("slow")
    assert workspace.loader.loading_name == "slow"
    edit(qtbot, workspace, 3, 3, b" two")
    assert workspace.token_ids(0, 9).tolist() == [0, 1, 3]
    with qtbot.waitSignal(workspace.vocabulary_changed):
        may_end.set()
    assert workspace.vocabulary.name == "slow"
    workspace.close()


def test_the_selected_token_of_a_stretch_is_the_one_that_it_begins_in(workspace):
    selected = []
    workspace.selected_token_changed.connect(lambda: selected.append(workspace.selected_token))
    workspace.select_stretch(4, 9)
    assert workspace.document.selection == (4, 9)
    assert selected == [2]


def test_a_token_without_text_can_be_selected(workspace):
    workspace.document.set_caret(9)
    workspace.select_token(0)
    assert (workspace.selected_token, workspace.document.caret) == (0, 9)


def test_selection_is_given_up_when_its_token_is_gone(workspace, qtbot):
    workspace.select_token(3)
    edit(qtbot, workspace, 0, 13, b"")
    assert workspace.selected_token is None or workspace.selected_token < workspace.n_tokens


def test_under_an_encoder_that_only_approximates_touched_tokens_are_counted(workspace, qtbot):
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.set_encoder("slow")
    workspace.document.select(2, 5)
    counts = workspace.selection_statistics
    assert (counts.n_tokens, counts.is_exact) == (3, False)


def test_without_selected_text_there_is_nothing_to_count(workspace):
    workspace.document.set_caret(4)
    assert workspace.selection_statistics is None


def test_undo_brings_back_the_file_that_a_text_belongs_to(workspace, qtbot, tmp_path):
    paths = [tmp_path / "first.txt", tmp_path / "second.txt"]
    for path in paths:
        path.write_bytes(path.name.encode())
        with qtbot.waitSignal(workspace.text_file_changed):
            workspace.open_text(path)
    document = workspace.document
    document.insert(b"typed ")
    states = [(workspace.text_path, workspace.is_modified)]
    for change in (document.undo, document.undo, document.undo, document.redo, document.redo):
        change()
        states.append((workspace.text_path, workspace.is_modified))
    first, second = paths
    assert states == [
        (second, True),
        (second, False),
        (first, False),
        (None, False),
        (first, False),
        (second, False),
    ]


def test_undo_to_what_is_in_the_file_leaves_nothing_to_save(workspace, tmp_path):
    document, path = workspace.document, tmp_path / "words.txt"
    document.insert(b"a")
    assert workspace.is_modified
    assert workspace.save_text(path)
    document.insert(b"b")
    modified = [workspace.is_modified]
    for change in (document.undo, document.undo, document.redo, document.redo):
        change()
        modified.append(workspace.is_modified)
    assert modified == [True, False, True, False, True]
    document.undo()
    document.undo()
    document.insert(b"c")  # no step leads to what is in the file any more
    assert workspace.is_modified
    document.undo()
    assert workspace.is_modified
    workspace.restore_text(b"kept", path)
    document.insert(b"d")
    document.undo()
    assert workspace.is_modified  # it was not in the file


def test_a_text_typed_over_what_was_undone_keeps_its_own_file(workspace, qtbot, tmp_path):
    path = tmp_path / "opened.txt"
    path.write_bytes(b"from a file")
    with qtbot.waitSignal(workspace.text_file_changed):
        workspace.open_text(path)
    workspace.document.undo()
    workspace.document.insert(b"mine")
    assert (workspace.text_path, workspace.is_modified) == (None, True)
    workspace.document.undo()
    workspace.document.redo()
    assert (workspace.text_path, workspace.is_modified) == (None, True)
    assert workspace.save_text(tmp_path / "mine.txt")
    assert path.read_bytes() == b"from a file"


def test_a_text_file_that_is_missing_leaves_the_text(workspace, qtbot, tmp_path):
    with qtbot.waitSignal(workspace.text_file_failed) as failed:
        workspace.open_text(tmp_path / "none.txt")
    assert "none.txt cannot be opened" in failed.args[0]
    assert workspace.document.text() == b"one two three"


def test_a_text_that_cannot_be_saved_stays_modified(workspace, qtbot, tmp_path):
    workspace.document.replace(0, 0, b"x")
    with qtbot.waitSignal(workspace.text_file_failed):
        assert not workspace.save_text(tmp_path / "no folder" / "saved.txt")
    assert workspace.is_modified


def test_the_round_trip_is_known_soon_after_the_tokens(workspace, qtbot):
    qtbot.waitUntil(lambda: workspace.round_trip.result is not None)
    assert workspace.round_trip.result.is_same
    workspace.document.replace(0, 3, b"four")
    assert workspace.round_trip.result is None
    qtbot.waitUntil(lambda: workspace.round_trip.result is not None)
    assert workspace.round_trip.result.offset == 0
    assert workspace.round_trip.result.decoded == b"? two three"


def test_a_text_without_any_token_is_compared_too(qtbot):
    workspace = Workspace(b"unheard-of", load=lambda name, pre, progress: guiapp.open_model(name))
    workspace.set_encoder("words")
    workspace.loader.open("demo:toy")
    qtbot.waitUntil(lambda: None not in (workspace.round_trip.result, workspace.encoder_check.result))
    assert workspace.n_tokens == 0
    assert workspace.round_trip.result.offset == 0
    assert workspace.encoder_check.result.share == 0
    workspace.close()
