"""How the editor looks, and when it is painted."""

from __future__ import annotations

import numpy as np
from editor_hands import click, pixels_of, place_of_byte, wheel
from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtWidgets import QToolTip

from guiapp.kit.spans.layout import SpanWindow


def test_every_kind_of_text_is_painted_without_complaint(opened):
    messy = "汉🚀 \u2028\x00\ufeff\tשלום e\u0301\u0301 नमस्ते   \r\n".encode() + b"\xff\xe2\x82" + b" " * 500
    editor = opened(messy * 20)
    editor.document.select(10, 400)
    empty = opened("")
    empty.set_placeholder("Type or drop a text")
    assert len(set(pixels_of(editor))) > 20
    assert len(set(pixels_of(empty))) > 5


def test_the_tip_of_a_character_tells_its_bytes_and_where_tokens_part_it(opened):
    editor = opened("字")
    assert editor.tip(QPointF(place_of_byte(editor, 0))) == "E5 AD | 97"
    assert editor.tip(QPointF(600, 300)) == ""


def test_the_tip_of_a_chip_names_the_characters_behind_it(opened):
    editor = opened("a\u200b\u200b\u200b\ufe0fb\xa0\U000e0041")
    tip = editor.tip(QPointF(place_of_byte(editor, 1))).splitlines()
    assert tip[0].startswith("4 characters, ")
    assert tip[1:3] == ["U+200B ZERO WIDTH SPACE ×3", "U+FE0F VARIATION SELECTOR-16"]
    assert tip[3].replace("| ", "") == "E2 80 8B E2 80 8B E2 80 8B EF B8 8F"
    assert "U+E0041 TAG LATIN CAPITAL LETTER A" in editor.tip(QPointF(place_of_byte(editor, 14)))
    assert editor.tip(QPointF(place_of_byte(editor, 0))) == "61"


def test_a_click_on_a_chip_tells_at_once_what_it_stands_for(opened, qtbot):
    editor = opened("pay\u200b\u200cment")
    click(qtbot, editor, place_of_byte(editor, 0))
    assert not QToolTip.isVisible()
    click(qtbot, editor, place_of_byte(editor, 3))
    assert "ZERO WIDTH NON-JOINER" in QToolTip.text()
    QToolTip.hideText()


def test_only_the_rows_in_sight_are_laid_out(opened, qtbot):
    editor = opened("字 words " * 100_000)
    qtbot.keyClicks(editor, "abc")
    assert len(editor.rows._layouts) < 20


def test_rows_that_take_too_long_for_one_frame_are_painted_in_the_next_ones(opened, qtbot):
    editor = opened("\n".join(f"row {row} שלום" for row in range(30)))
    at_once = pixels_of(editor)
    editor.set_frame_time(0)
    editor.set_shows_whitespace(True)  # begins anew
    editor.viewport().repaint()
    assert not editor.is_painted
    qtbot.waitUntil(lambda: editor.is_painted)
    assert pixels_of(editor) == at_once


def test_rows_that_wait_for_their_frame_are_found_again_after_scrolling(opened, qtbot):
    editor = opened("\n".join(f"row {row} of many rows" for row in range(60)))
    editor.set_frame_time(0)
    editor.set_shows_whitespace(True)
    editor.viewport().repaint()
    wheel(editor, -1)
    qtbot.waitUntil(lambda: editor.is_painted)
    in_turns = pixels_of(editor)
    editor.set_frame_time(1000)
    editor.set_shows_whitespace(True)
    assert in_turns == pixels_of(editor)


class FakeSearch(QObject):
    """Finds the first character of each line, or nothing."""

    found_changed = Signal()

    def __init__(self, document):
        super().__init__()
        self.starts = np.array([document.line_start(line) for line in range(document.n_lines)])
        self.n_matches = 0

    def find(self):
        self.n_matches = len(self.starts)
        self.found_changed.emit()

    def matches_in(self, start, end):
        none = np.zeros(len(self.starts), np.int32)
        return SpanWindow(0, none, self.starts, self.starts + 1, none.astype(np.uint8)).within(start, end)


def row_pixels(editor, row):
    height = editor.rows.metrics.row_height
    y = round(editor.rows.place_of(editor.document.line_start(row)).y)
    image = editor.viewport().grab().toImage().copy(0, y, 300, height)
    return bytes(image.constBits())  # of an image that nobody holds they would be gone already


def test_rows_keep_their_tokens_while_marks_wait_for_their_frame(opened, qtbot):
    editor = opened("one\ntwo\nthree\nfour")
    search = FakeSearch(editor.document)
    editor.show_matches(search)
    unmarked = row_pixels(editor, 3)
    editor.set_frame_time(0)
    search.find()
    assert row_pixels(editor, 3) == unmarked
    assert not editor.is_painted
    qtbot.waitUntil(lambda: editor.is_painted)
    assert row_pixels(editor, 3) != unmarked


def test_a_window_without_height_takes_what_is_typed(opened, qtbot):
    editor = opened("one two three")
    editor.resize(editor.width(), 0)
    for text in (b"four", b"\n" * 50):
        editor.document.insert(text)
        editor.spans.tokenize()
        qtbot.wait(20)
    editor.resize(editor.width(), 300)
    assert len(set(pixels_of(editor))) > 5
