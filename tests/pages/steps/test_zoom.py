"""Code, pictures and training in large type."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.cards import SectionTitle, TextLine
from guiapp.pages.steps.trace_view import LINE_PX
from guiapp.pages.steps.walk_model import TrainingWish


@pytest.mark.parametrize("encoder", ["heap", "scan", "backtrack", "greedy"])
def test_code_and_picture_grow_with_the_text(make_steps_page, encoder):
    page = make_steps_page(encoder=encoder)
    code, picture = page.trace.code, page.trace.picture
    line_px = code.line_rect(0).height()
    page.set_text_size(2 * TEXT_FONT_PX)
    QApplication.processEvents()
    assert code.line_rect(0).height() == 2 * LINE_PX
    assert picture.minimumHeight() >= 2 * 140
    assert not page.grab().isNull()
    page.set_text_size(TEXT_FONT_PX)
    QApplication.processEvents()
    assert code.line_rect(0).height() < 1.3 * line_px


def test_every_line_of_code_stays_whole_in_any_size(make_steps_page):
    page = make_steps_page(encoder="heap")
    for size_px in (9, 16, 24, 32, 48):
        page.set_text_size(size_px)
        QApplication.processEvents()
        code = page.trace.code
        scale = code.line_rect(0).height() / 22
        assert scale * code.minimumWidth() <= code.width() + 1


def test_training_grows_with_the_text(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(1)
    page.training.model.train(TrainingWish("bpe", b"This is insane! This is impossible", 300, True))
    qtbot.waitUntil(lambda: not page.training.model.is_busy)
    QApplication.processEvents()
    stage = page.training.stage
    before = [stage.sentence.height(), stage.words.height(), stage.count.height()]
    page.set_text_size(2 * TEXT_FONT_PX)
    QApplication.processEvents()
    after = [stage.sentence.height(), stage.words.height(), stage.count.height()]
    assert all(new > 1.5 * old for new, old in zip(after, before, strict=True))
    assert page.training.form.own_text.font().pixelSize() == 26
    assert not page.grab().isNull()


def test_titles_and_the_number_of_the_step_grow_with_the_text(make_steps_page, qtbot):
    page = make_steps_page(encoder="heap")
    titles = page.trace.findChildren(SectionTitle)
    assert len(titles) == 4

    def sizes():
        lines = [line for line in page.trace.findChildren(TextLine) if line.isVisible()]
        assert len(lines) == 4
        heights = [line.height() - 2 for line in lines]
        return [page.trace.number.width(), *heights, *(title.sizeHint().height() for title in titles)]

    before = sizes()
    page.set_text_size(2 * TEXT_FONT_PX)
    qtbot.waitUntil(lambda: sizes() == pytest.approx([2 * size for size in before], rel=0.1))
    assert not page.grab().isNull()


def test_breakpoints_watches_and_what_was_made_grow_with_the_text(make_steps_page):
    page = make_steps_page(encoder="heap")
    side = page.trace.side
    page.model.breakpoints.add("rank < 500")
    page.model.add_watch("rank")

    def heights():
        QApplication.processEvents()
        row = side.breakpoints.row_widgets[0]
        texts = (row.label, row.hits, side.watches.field.line, side.breakpoints.field.line)
        fonts = [part.font().pixelSize() for part in (*texts, *side.watches._values)]
        return [side.history.height(), *fonts]

    before = heights()
    page.set_text_size(2 * TEXT_FONT_PX)
    assert heights() == [2 * height for height in before]
    first = side.history.entries[0].step if side.history.entries else None
    if first is not None:
        QTest.mouseClick(side.history, Qt.MouseButton.LeftButton, pos=QPoint(40, 30))
        assert page.model.position == first
    assert not page.grab().isNull()


def test_buttons_and_titles_on_cards_grow_with_the_text(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb", "heap")
    race, side = page.trace.race_card, page.trace.side
    page.model.race.choose("greedy")
    page.modes.choose(1)
    page.begin_training("bpe:300")
    qtbot.waitUntil(lambda: page.is_ready and page.model.race.is_ready)
    buttons = side.breakpoints.add_button, side.notes.clear_button, race.go
    before = [button.font().pixelSize() for button in buttons]
    page.set_text_size(2 * TEXT_FONT_PX)
    assert [button.font().pixelSize() for button in buttons] == [2 * size for size in before]
