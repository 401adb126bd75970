"""How the editor looks, and when it is painted."""

from __future__ import annotations

from editor_hands import click, pixels_of, place_of_byte
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QToolTip


def test_every_kind_of_text_is_painted_without_complaint(opened):
    messy = "汉🚀 \u2028\x00\ufeff\tשלום e\u0301\u0301 नमस्ते   \r\n".encode() + b"\xff\xe2\x82" + b" " * 500
    editor = opened(messy * 20)
    editor.document.select(10, 400)
    empty = opened("")
    empty.set_placeholder("Type or drop a text")
    assert len(set(pixels_of(editor))) > 20
    assert len(set(pixels_of(empty))) > 5


def test_the_tip_of_a_character_shows_its_bytes_and_token_edges(opened):
    editor = opened("字")
    assert editor.tip(QPointF(place_of_byte(editor, 0))) == "E5 AD | 97"
    assert editor.tip(QPointF(600, 300)) == ""


def test_the_tip_of_a_badge_names_its_characters(opened):
    editor = opened("a\u200b\u200b\u200b\ufe0fb\xa0\U000e0041")
    tip = editor.tip(QPointF(place_of_byte(editor, 1))).splitlines()
    assert tip[0].startswith("4 characters, ")
    assert tip[1:3] == ["U+200B ZERO WIDTH SPACE ×3", "U+FE0F VARIATION SELECTOR-16"]
    assert tip[3].replace("| ", "") == "E2 80 8B E2 80 8B E2 80 8B EF B8 8F"
    assert "U+E0041 TAG LATIN CAPITAL LETTER A" in editor.tip(QPointF(place_of_byte(editor, 14)))
    assert editor.tip(QPointF(place_of_byte(editor, 0))) == "61"


def test_a_click_on_a_badge_names_its_characters_at_once(opened, qtbot):
    editor = opened("pay\u200b\u200cment")
    click(qtbot, editor, place_of_byte(editor, 0))
    assert not QToolTip.isVisible()
    click(qtbot, editor, place_of_byte(editor, 3))
    assert "ZERO WIDTH NON-JOINER" in QToolTip.text()
    QToolTip.hideText()


def test_a_window_without_height_takes_what_is_typed(opened, qtbot):
    editor = opened("one two three")
    editor.resize(editor.width(), 0)
    for text in (b"four", b"\n" * 50):
        editor.document.insert(text)
        editor.spans.tokenize()
        qtbot.wait(20)
    editor.resize(editor.width(), 300)
    assert len(set(pixels_of(editor))) > 5
