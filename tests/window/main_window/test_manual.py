"""F1 opens the manual at what it says of the page; links, a search and Escape lead on, back and out."""

import pytest
from instant_recorder import load_once
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from guiapp.core.manual import CHAPTERS
from guiapp.window.manual import CONTENTS, ManualReader, chapter_of


@pytest.fixture
def reader(make_shell):
    window = make_shell().window
    window.resize(1280, 800)
    window.pages.show_page("compare")
    QTest.keyClick(window, Qt.Key.Key_F1)
    return window.findChild(ManualReader)


def heading(reader):
    return reader.browser.document().begin().text()


def test_the_manual_is_docked_and_shows_the_chapter_of_the_page(reader):
    assert reader.isVisible()
    assert not reader.isFloating()
    assert reader.browser.source().toString() == "compare.md"
    for key, widget in ((Qt.Key.Key_Escape, reader.search), (Qt.Key.Key_Escape, reader.browser)):
        QTest.keyClick(widget, key)
        assert not reader.isVisible()
        QTest.keyClick(reader.parentWidget(), Qt.Key.Key_F1)
        assert reader.isVisible()
    QTest.keyClick(reader.parentWidget(), Qt.Key.Key_F1)
    assert not reader.isVisible()


def test_a_narrow_window_has_it_as_a_window_of_its_own(make_shell):
    window = make_shell().window
    window.resize(900, 560)
    QTest.keyClick(window, Qt.Key.Key_F1)
    reader = window.findChild(ManualReader)
    assert (reader.isVisible(), reader.isFloating(), window.width()) == (True, True, 900)


def test_words_find_sections_and_a_click_on_one_goes_there(reader, qtbot):
    QTest.keyClicks(reader.search, "prompt stays cache")
    browser, title = reader.browser, heading(reader)
    link = browser.document().find("How much")
    QTest.mouseClick(
        browser.viewport(), Qt.MouseButton.LeftButton, pos=browser.cursorRect(link).center() - QPoint(8, 0)
    )
    assert browser.source().path() == "compare.md"
    assert browser.verticalScrollBar().value() > 0
    reader.back.click()
    assert heading(reader) == title
    QTest.keyClick(reader.search, Qt.Key.Key_Return)
    assert browser.source().path() == "compare.md"
    marked = {mark.cursor.selectedText().lower() for mark in browser.extraSelections()}
    assert {"prompt", "stay", "cach"} <= marked


def test_all_chapters_are_listed_and_each_page_has_one(reader):
    reader.contents.click()
    text = reader.browser.toPlainText()
    assert len(text.splitlines()) == len(CHAPTERS) + 1
    assert chapter_of(reader.parentWidget().pages.rows["compare_texts"]) == "compare"
    assert {chapter_of(row) for row in reader.parentWidget().pages.rows.values()} <= {*CHAPTERS, CONTENTS}


def test_a_finding_of_the_doctor_leads_to_its_paragraph(make_shell, qtbot):
    window = make_shell(model="demo:bpe", load=load_once).window
    page = window.pages.show_page("doctor")
    qtbot.waitUntil(lambda: page.model.finding is not None)
    qtbot.mouseClick(page.panel.manual_button, Qt.MouseButton.LeftButton)
    code = page.model.finding.code
    browser = window.findChild(ManualReader).browser
    assert browser.source().toString() == f"doctor.md#{code}"
    assert browser.verticalScrollBar().value() > 0
    (mark,) = browser.extraSelections()
    assert mark.cursor.selectedText().startswith(code)
