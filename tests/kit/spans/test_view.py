"""A text that is only shown: what the mouse is told of it."""

import pytest
from editor_hands import place_of_byte
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.view import SIDE_PX, SpanView
from guiapp.kit.widgets.theme import ThemeSource


@pytest.fixture
def view(qtbot):
    document = TextDocument(b"one two\nthree \xe2\x80\x8b p\xd0\xb0y")
    spans, themes = FakeSpans(document), ThemeSource(QApplication.instance(), "dark")
    view = SpanView(document, spans, themes)
    view.document_, view.spans_, view.themes = document, spans, themes
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    QApplication.processEvents()
    return view


def tip(view, text):
    return view.tip(QPointF(place_of_byte(view, view.document_.text().index(text)))).split("\n")


def test_tips_show_tokens_notes_and_confusable_letters(view):
    assert view.tip(QPointF(390, 290)) == ""
    assert view.tip(QPointF(2, 50)) == ""
    assert tip(view, b"two") == ["74"]
    view.set_token_tip(lambda token: f"token {token}")
    assert tip(view, b"two") == ["token 2"]
    view.set_note(lambda offset: f"at {offset}" if offset == 4 else "")
    assert tip(view, b"two") == ["at 4", "token 2"]
    letter = tip(view, "а".encode())
    view.set_marks_confusables(True)
    marked = tip(view, "а".encode())
    assert [line for line in marked if "looks like" not in line] == letter
    assert [line for line in marked if "looks like" in line] == [marked[0]]
    assert marked[0].startswith("U+0430 CYRILLIC SMALL LETTER A looks like a")
    chip = tip(view, "\u200b".encode())
    assert (chip[0], chip[-1]) == ("U+200B ZERO WIDTH SPACE", "E2 80 | 8B")


def test_opening_a_badge_calls_the_registered_handler(view):
    opened, at = [], view.document_.text().index("\u200b".encode())
    place = place_of_byte(view, at)
    view.open_invisible_by(lambda *given: opened.append(given))
    view.open_chip(QPointF(place))
    assert opened == [(at, at + 3, view.viewport().mapToGlobal(place))]
    view.open_chip(QPointF(place_of_byte(view, 4)))
    view.open_chip(QPointF(QPoint(390, 290)))
    assert len(opened) == 1


def test_tokens_are_under_their_characters_and_chips(view):
    tokens = [view.token_at(QPointF(place_of_byte(view, offset))) for offset in (0, 2, 3, 4, 6, 7, 8)]
    assert tokens == [1, 1, 2, 2, 2, 3, 4]
    row_px, top = view.rows.metrics.row_height, view.rows.position_of(0).y
    assert view.token_at(QPointF(SIDE_PX + 10, top - row_px / 2)) == 0
    bottom = view.rows.text_end_y
    assert view.token_at(QPointF(SIDE_PX + 10, bottom + row_px / 2)) == len(view.spans_.ids) - 1
    assert view.token_at(QPointF(390, 290)) == -1
