"""A file of each format, dropped on the real window: its tokens, its steps, its tree."""

import json
import shutil

import pytest
from conftest import SHARED
from format_samples import READ_IN_TWO_WAYS, SAMPLES
from main_window_driver import CTRL, drop, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.core.formats.table import FORMATS
from guiapp.window.app import _load

pytestmark = pytest.mark.slow


TEXT = b"Hello wxrldqz"  # not every word is a token
LEFT = Qt.MouseButton.LeftButton
DECISIONS = {"RWKV": "take", "UGM": "reach"}
OPENED = [sample for sample in SAMPLES if sample.format in {each.name for each in FORMATS}]
REAL = (
    "tekken_240718.json",
    "j2-unigram.tokenizer.model",
    "bpe_simple_vocab_16e6.txt.gz",
)  # others: tests/core


def pieces(session):
    """The stretches of the text that the window colours, by their bytes."""
    spans = [session.tokens.span(index) for index in range(len(session.tokens))]
    return tuple(session.document.slice(*span) for span in spans if span[0] < span[1])


def answer_how_text_is_split(qtbot, shell):
    """Click on what the notice offers, and take the first of the list."""
    qtbot.waitUntil(lambda: shell.session.loader.refused is not None)
    (notice,) = shell.window.notices.notices
    qtbot.mouseClick(notice.remedy_button, LEFT)
    picker = QApplication.activePopupWidget()
    likely = shell.session.loader.refused.likely[0]
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert shell.session.vocabulary.chosen_pre == likely
    assert shell.window.notices.notices == []
    shell.window.activateWindow()  # as window managers do when a popup closes


def see_one_decision(qtbot, shell, operation):
    """Run to the first decision that makes a token, and step over it."""
    press(qtbot, shell, Qt.Key.Key_8, CTRL)
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready and page.model.n_steps > 0)
    page.model.restart()
    page.model.breakpoints.add(f"operation {operation}")
    press(qtbot, shell, Qt.Key.Key_F5)
    at, trace = page.model.position, page.model.debugger.trace
    assert trace.operation(at) == operation
    press(qtbot, shell, Qt.Key.Key_F10)
    assert page.model.position == at + 1
    assert page.trace.number.text() == f"step {at + 1} of {page.model.n_steps}"
    assert trace.text == shell.session.document.text()


def see_the_tree(qtbot, shell):
    """The path of a token that was chosen in the text."""
    shell.session.select_token(len(shell.session.tokens) - 1)
    press(qtbot, shell, Qt.Key.Key_7, CTRL)
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready and page.view.geometry_now is not None)
    qtbot.waitUntil(lambda: page.view.is_stable)
    last = len(shell.session.tokens) - 1
    assert page.model.picture.tree is shell.session.tokenizer.vocabulary.token_tree
    assert page.model.chosen_token == int(shell.session.tokens.ids(last, last + 1)[0])


def test_a_typed_path_opens_and_the_badge_offers_how_else_its_file_is_read(make_shell, qtbot, tmp_path):
    path = tmp_path / "a b.json"
    path.write_text(json.dumps(READ_IN_TWO_WAYS))
    shell = make_shell(b"a<s>a", "demo:spm", _load)
    qtbot.mouseClick(shell.window.top_bar.model_button, LEFT)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, str(path))
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    badge = shell.window.top_bar.exactness
    assert badge.text() == "exact"
    qtbot.waitUntil(lambda: len(shell.session.tokens) == 5)
    qtbot.mouseClick(badge, LEFT)
    (button,) = QApplication.activePopupWidget().buttons
    assert button.text() == "Choose pre-tokenizer…"
    qtbot.mouseClick(button, LEFT)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "llama-first")
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert badge.text() == "approximate"
    qtbot.waitUntil(lambda: len(shell.session.tokens) == 4)


def test_the_badge_names_the_library_whose_reading_is_chosen(make_shell, qtbot, tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(READ_IN_TWO_WAYS))
    (tmp_path / "tokenizer_config.json").write_text('{"pad_token": "[P]"}')
    shell = make_shell(b"a[P]", "demo:spm", _load)
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.session.loader.open(str(tmp_path), "transformers")
    assert shell.window.top_bar.exactness.text() == "exact for transformers 5.24"
    qtbot.waitUntil(lambda: pieces(shell.session)[-1:] == (b"[P]",))


@pytest.mark.real_vocabs
def test_a_folder_is_read_as_llama_would_by_a_click(make_shell, qtbot, tmp_path):
    shutil.copy(SHARED / "formats" / "mistral-v1.tokenizer.model", tmp_path / "tokenizer.model")
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "vocab_size": 32002}')
    shell = make_shell(b"ab", "demo:spm", _load)
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.session.loader.open(str(tmp_path))
    qtbot.mouseClick(shell.window.top_bar.exactness, LEFT)
    (button,) = QApplication.activePopupWidget().buttons
    qtbot.mouseClick(button, LEFT)
    picker = QApplication.activePopupWidget()
    qtbot.keyClicks(picker.choices.filter, "llama.cpp")
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert shell.window.top_bar.exactness.text() == "exact for llama.cpp 2026.10"
    assert (len(shell.session.vocabulary), shell.session.vocabulary.library) == (32002, "llama.cpp")


def test_each_format_has_a_small_file_here():
    assert {each.name for each in FORMATS} <= {sample.format for sample in SAMPLES}


@pytest.mark.parametrize("sample", OPENED, ids=lambda sample: sample.format)
def test_a_dropped_file_shows_its_tokens_steps_and_tree(make_shell, qtbot, tmp_path, sample):
    path = tmp_path / sample.name
    sample.write(path)
    shell = make_shell(sample.text, "demo:spm", _load)
    with qtbot.waitSignal(shell.session.loader.loading_changed):
        drop(shell.window, [path])
    if sample.is_silent:
        answer_how_text_is_split(qtbot, shell)
    qtbot.waitUntil(lambda: shell.session.vocabulary.path == path)
    qtbot.waitUntil(lambda: pieces(shell.session) == sample.pieces)
    assert shell.window.top_bar.exactness.text() == ("unknown pre" if sample.is_silent else "exact")
    assert shell.session.vocabulary.format == sample.format
    see_one_decision(qtbot, shell, sample.decision)
    see_the_tree(qtbot, shell)


@pytest.mark.parametrize("kind", ["demo", "file", "folder"])
def test_the_next_session_opens_it_again_and_splits_as_was_chosen(make_shell, qtbot, tmp_path, kind):
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(READ_IN_TWO_WAYS))
    opened = {"demo": "demo:bpe", "file": str(path), "folder": str(folder)}[kind]
    pre = "qwen2" if kind == "demo" else "llama-first"
    shell = make_shell(b"a<s>a 12345", None, _load)
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.session.loader.open(opened, pre)
    shell.stop()
    again = make_shell(b"a<s>a 12345", None, _load)
    with qtbot.waitSignal(again.session.vocabulary_changed):
        again.commands.files.open_last("demo:spm")
    assert (again.session.loader.model.name, again.session.vocabulary.chosen_pre) == (opened, pre)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", REAL)
def test_so_does_a_published_file(make_shell, qtbot, name):
    path = SHARED / "formats" / name
    expected = guiapp.open_model(path)
    shell = make_shell(TEXT, "demo:spm", _load)
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        drop(shell.window, [path])
    qtbot.waitUntil(lambda: len(shell.session.tokens) == len(expected.encode(TEXT).token_ids))
    assert b"".join(pieces(shell.session)).replace(b" ", b"") == TEXT.replace(b" ", b"")
    assert shell.window.top_bar.exactness.text() == "exact"
    see_one_decision(qtbot, shell, DECISIONS.get(expected.vocabulary.type.value, "merge"))
    see_the_tree(qtbot, shell)
