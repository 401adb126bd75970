"""The list of lessons: what each card tells, and what its buttons do."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QToolButton

from guiapp.analysis.lessons.lesson import ENDING
from guiapp.kit.widgets.theme import MARGIN_PX, TEXT_FONT_PX, UI_FONT_PX
from guiapp.pages.steps.lessons import KEYS_TEXT, LIST_WIDTH_PX
from guiapp.pages.steps.page import LESSONS

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def page(make_steps_page):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    return page


def labels(page):
    return {label.text(): label for label in page.lessons.findChildren(QLabel)}


def test_each_card_has_a_number_a_title_a_summary_and_four_buttons(page):
    told = labels(page)
    for number, lesson in enumerate(page.player.lessons, 1):
        title, summary = told[f"{number}.  {lesson.title}"], told[lesson.summary]
        assert summary.property("role") == "dim"
        assert title.font().pixelSize() == summary.font().pixelSize() + 3 == UI_FONT_PX + 3
        assert {title.textFormat(), summary.textFormat()} == {Qt.TextFormat.PlainText}
        assert page.lessons.buttons[lesson.name].accessibleName() == (
            f"{lesson.title}: Begin · {len(lesson.steps)} steps"
        )
        card = page.lessons.buttons[lesson.name].parentWidget()
        assert card.property("role") == "card"
        assert card.isAncestorOf(title)
        assert {button.text(): button.accessibleName() for button in card.findChildren(QToolButton)} == {
            "Save a copy…": f"Save a copy of {lesson.title}",
            "Present": f"Present {lesson.title}",
        }
    assert told[KEYS_TEXT].font().pixelSize() == UI_FONT_PX
    assert page.lessons.widget().width() <= page.lessons.viewport().width()


def test_buttons_tell_how_far_people_got_and_whether_they_were_done_before(page):
    lesson = page.player.lessons[0]
    button, n_steps = page.lessons.buttons[lesson.name], len(lesson.steps)
    page.player.begin(lesson.name, 1)
    page.player.leave()
    assert button.text() == f"Resume at 2 of {n_steps}"
    assert button.accessibleName() == f"{lesson.title}: Resume at 2 of {n_steps}"
    page.player.begin(lesson.name, n_steps - 1)
    page.player.go_on()
    page.player.reveal()
    page.player.go_on()
    assert page.player.is_finished(lesson)
    if page.player.lesson is not None:
        page.player.leave()
    assert button.text().startswith("✓ ")


def test_words_grow_with_the_text_and_the_list_is_not_filled_twice(page):
    before = dict(page.lessons.buttons)
    page.lessons.fill()
    assert page.lessons.buttons == before
    page.set_text_size(2 * TEXT_FONT_PX)
    told = labels(page)
    lesson = page.player.lessons[0]
    assert told[lesson.summary].font().pixelSize() == 2 * UI_FONT_PX
    assert told[KEYS_TEXT].font().pixelSize() == 2 * UI_FONT_PX
    inner = told[KEYS_TEXT].parentWidget()
    assert inner.maximumWidth() == 2 * LIST_WIDTH_PX > 2 * MARGIN_PX


def test_arrows_go_from_lesson_to_lesson_past_what_stands_between(page, qtbot):
    buttons = [page.lessons.buttons[lesson.name] for lesson in page.player.lessons]
    buttons[0].setFocus()
    qtbot.waitUntil(buttons[0].hasFocus)
    for one, other in pairwise(buttons[:4]):
        qtbot.keyClick(one, Key.Key_Down)
        assert other.hasFocus()
    qtbot.keyClick(buttons[3], Key.Key_Up)
    assert buttons[2].hasFocus()
    for pressed in (Key.Key_Enter, Key.Key_Return):
        qtbot.keyClick(buttons[2], pressed)
        assert page.player.lesson is page.player.lessons[2]
        page.player.leave()
        buttons[2].setFocus()


def test_copies_and_pages_are_saved_under_the_name_that_is_chosen(page, qtbot, monkeypatch, tmp_path):
    asked, lesson = [], page.player.lessons[0]
    card = page.lessons.buttons[lesson.name].parentWidget()
    copy, _ = card.findChildren(QToolButton)

    def answer(window, title, suggested, filters):
        asked.append((title, suggested))
        return str(tmp_path / suggested), filters.split(";;")[0]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    qtbot.mouseClick(copy, LEFT)
    qtbot.waitUntil((tmp_path / lesson.path.name).exists)
    qtbot.waitUntil(lambda: not page.lessons._saving.is_busy)
    assert asked == [("Save a copy", lesson.path.name)]
    assert lesson.path.name.endswith(ENDING)
    page.lessons.save(lesson, tmp_path / "page.html")
    qtbot.waitUntil((tmp_path / "page.html").exists)
    qtbot.waitUntil(lambda: not page.lessons._saving.is_busy)
    assert "<section>" in (tmp_path / "page.html").read_text()
    assert lesson.title in (tmp_path / lesson.path.name).read_text()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: ("", ""))
    qtbot.mouseClick(copy, LEFT)
    assert not page.lessons._saving.is_busy


def test_a_file_is_opened_only_where_one_is_chosen(page, qtbot, monkeypatch):
    opened, names = [], iter(["", f"/there/own{ENDING}"])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given: (next(names), ""))
    monkeypatch.setattr(page.lessons, "open", lambda path: opened.append(str(path)))
    buttons = {each.text(): each for each in page.lessons.findChildren(QPushButton)}
    for _ in range(2):
        qtbot.mouseClick(buttons["Open lesson file…"], LEFT)
    assert opened == [f"/there/own{ENDING}"]
