"""Editors to be clicked and typed into."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from span_fakes import FakeSpans

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.widgets.notices import leave_plain_text
from guiapp.kit.widgets.theme import ThemeSource


@pytest.fixture
def steady_caret_and_plain_clipboard(qapp):
    hints = QGuiApplication.styleHints()
    flash_ms = hints.cursorFlashTime()
    hints.setCursorFlashTime(0)
    yield
    hints.setCursorFlashTime(flash_ms)
    leave_plain_text()


@pytest.fixture
def opened(qtbot, qapp, steady_caret_and_plain_clipboard):
    """A function that opens an editor on a text, with its document and its spans as attributes."""
    themes = ThemeSource(qapp, "dark")

    def open_editor(text: str | bytes, width: int = 700, height: int = 400) -> SpanEditor:
        document = TextDocument(text.encode() if isinstance(text, str) else text)
        spans = FakeSpans(document)
        editor = SpanEditor(document, spans, themes)
        editor.document, editor.spans = document, spans
        qtbot.addWidget(editor)
        editor.resize(width, height)
        editor.show()
        qtbot.waitExposed(editor)
        editor.setFocus()
        qtbot.waitUntil(editor.hasFocus)
        return editor

    return open_editor
