"""The greedy walk of the text, as the Tree page plays it."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QToolButton

import guiapp
from guiapp.core.demo import demo_model_path
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.widgets.labels import Span

TEXT = b"Welcome to the tree, the whole tree."


def test_the_walk_plays_what_greedy_takes(page, qtbot):
    page.walk.restart()
    taken = []
    for _ in range(len(page.walk.steps)):
        page.walk.move(1)
        if page.walk.step.taken is not None:
            taken.append(page.walk.step.taken)
    tokenizer = page._session.tokenizer
    assert b"".join(map(tokenizer.vocabulary.token_bytes, taken)) == TEXT
    assert "takes" in page.walk_bar._story.toPlainText()


def test_the_walk_says_where_it_could_go_on_and_where_it_ends(page, qtbot):
    page._session.select_token(1)
    on = next(button for button in page.walk_bar.findChildren(QToolButton) if button.text() == "On ›")
    told, picture = [], page.model.picture
    for _ in range(12):
        qtbot.mouseClick(on, Qt.MouseButton.LeftButton)
        step, text = page.walk.step, page.walk_bar._story.toPlainText()
        told.append((step.taken is not None, step.n_children > 0))
        assert ("may go on to" in text) == (step.taken is None and step.n_children > 0)
        assert ("takes" in text) == (step.taken is not None)
        assert ("follows here" in text) == (step.taken is not None and step.n_children > 0)
        read = visible_text(page.walk.read(step.offset + 1, step.start))
        assert visible_text(page.walk.read(step.offset + 19)).startswith(text.partition("   ")[0])
        assert read in text
        if step.taken is None and step.n_children:
            names, _, more = text.partition(" may go on to ")[2].partition(" … of ")
            wanted = [visible_text(picture.tree.token_bytes(token)) for token in step.continuations]
            assert names.split(", ") == wanted[: names.count(", ") + 1]
            assert more == (f"{step.n_children:,}" if step.n_children > names.count(", ") + 1 else "")
        assert page.model.chosen_token == step.token
    assert {(False, True), (True, True)} <= set(told)


def test_the_buttons_go_one_byte_back_and_on(page, qtbot):
    buttons = {button.toolTip(): button for button in page.walk_bar.findChildren(QToolButton)}
    page.walk.restart()
    page.walk.move(5)
    offset = page.walk.step.offset
    for tip, expected in (("One byte back", -1), ("One byte back", -2), ("One byte on", -1)):
        qtbot.mouseClick(buttons[tip], Qt.MouseButton.LeftButton)
        assert page.walk.step.offset == offset + expected


def test_the_text_stays_where_it_is_while_the_walk_plays(page):
    tops = set()
    for told in ("", "नमस्ते 你好 🚀 ", 40 * "नमस्ते 你好 🚀 "):
        page.walk.play()
        page.walk_bar._story.set_spans([Span(told, page.theme_source.theme.dim, is_bold=True)])
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        tops.add(page.editor.mapTo(page, QPoint()).y())
    page.walk.play()
    assert len(tops) == 1


def test_a_walk_begins_anew_where_another_token_is_selected(page):
    session = page._session
    session.select_token(1)
    page.walk.move(1)
    page.walk.move(1)
    session.select_token(3)
    assert page.walk.step is None
    page.walk.move(1)
    assert page.walk.read(1) == TEXT[session.tokens.span(3)[0] :][:1]


@pytest.mark.parametrize("width", [860, 1000, 1600])
def test_what_the_walk_says_fits_at_any_width(open_tree_page, width):
    tokenizer = guiapp.open_model(demo_model_path("bpe"))
    page, _ = open_tree_page(tokenizer, "Welcome, whatever 汉武帝飞🚀向了 हिन्दी".encode())
    page.resize(width, 600)
    QApplication.processEvents()
    story, told = page.walk_bar._story, set()
    page.walk.restart()
    for _ in range(len(page.walk.steps)):
        told.add(story.toPlainText())
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        assert story.document().size().height() <= story.viewport().height()
        assert story.geometry().bottom() < page.walk_bar.height()
        page.walk.move(1)
    assert len(told) == len(page.walk.steps)
