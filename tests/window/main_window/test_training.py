"""What was trained, in the real window."""

import pytest
from instant_recorder import load_once
from PySide6.QtCore import Qt

pytestmark = pytest.mark.slow


LEFT = Qt.MouseButton.LeftButton


def test_what_was_trained_is_compared_with_the_open_model(make_shell, qtbot):
    shell = make_shell(b"typed by somebody", "demo:bpe", load_once)
    shell.window.actions_table["steps"].trigger()
    page = shell.window.pages.current
    page.begin_training("bpe:260")
    qtbot.waitUntil(lambda: page.is_ready and page.training.model.model_file is not None)
    qtbot.mouseClick(page.training.compare_button, LEFT)
    assert shell.window.pages.current_name == "compare"
    own, trained = shell.compared.sessions
    qtbot.waitUntil(lambda: len(trained.tokens) > 0)
    assert (own.vocabulary.name, trained.vocabulary.name) == (
        "Tokenloupe demo: byte-level BPE",
        "Trained byte-level BPE",
    )
    assert trained.document is own.document
    assert own.document.text() == b"typed by somebody"
    with qtbot.waitSignal(own.vocabulary_changed):
        shell.session.loader.open("demo:spm")
    assert trained.vocabulary.name == "Trained byte-level BPE"
