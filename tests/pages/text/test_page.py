"""The Inspect page: what its parts tell each other."""

import pytest
from pictures import picture_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

import guiapp

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(shell):
    return shell.window.inspect_page


def test_f6_goes_through_the_text_the_ids_and_the_card(page, qtbot):
    assert page.panels == [page.editor, page.ids_panel.strip, page.card]
    page.ids_panel.strip.hide()
    assert page.panels == [page.editor, page.ids_panel.table, page.card]
    assert page.focusProxy() is page.editor


@pytest.mark.parametrize("way", ["editor", "strip"])
def test_ids_grow_with_the_text(page, qtbot, way):
    chip, font = page.ids_panel.strip.chip_rect(0).width(), page.editor.font_px
    if way == "editor":
        page.editor.zoom(4)
    else:
        for _ in range(4):
            page._zoom.stepped.emit(1)
    assert page.editor.font_px > font
    assert page.ids_panel.strip.chip_rect(0).width() > chip


@pytest.mark.parametrize(("title", "text"), [("Insert into text", b"two one"), ("Replace text", b"two")])
def test_decoded_ids_go_into_the_text(make_shell, qtbot, title, text):
    shell = make_shell(b" one")
    page = shell.window.inspect_page
    shell.session.document.set_caret(0)
    QGuiApplication.clipboard().setText("7")
    page.show_decoder()
    dialog = page._decode_dialog
    button = next(each for each in dialog.findChildren(QPushButton) if each.text() == title)
    qtbot.waitUntil(button.isEnabled)
    qtbot.mouseClick(button, LEFT)
    assert shell.session.document.text() == text
    QGuiApplication.clipboard().setText("no ids")
    page.show_decoder()
    assert page._decode_dialog is dialog
    assert dialog.isVisible()
    dialog.close()


def test_a_token_chosen_in_one_panel_shows_in_the_others(page, shell, qtbot):
    strip = page.ids_panel.strip
    qtbot.mouseClick(strip.viewport(), LEFT, pos=strip.chip_rect(2).center())
    assert shell.session.selected_token == 2
    assert shell.session.document.caret == 3
    shell.session.document.set_caret(9)
    assert strip.selected_range == (3, 4)
    qtbot.mouseMove(strip.viewport(), strip.chip_rect(1).center() + QPoint(1, 1))
    qtbot.waitUntil(lambda: shell.session.hovered_token == 1)


def test_a_text_that_was_opened_has_the_keys(page, shell, tmp_path, qtbot):
    shell.window.activateWindow()
    page.ids_panel.strip.setFocus()
    qtbot.waitUntil(page.ids_panel.strip.hasFocus)
    (tmp_path / "text.txt").write_bytes(b"two")
    shell.session.text.open(tmp_path / "text.txt")
    qtbot.waitUntil(page.editor.hasFocus)
    assert shell.session.document.text() == b"two"


def test_another_theme_and_size_and_back_leave_no_trace(page, shell, qtbot):
    shell.session.select_token(2)
    qtbot.waitUntil(lambda: page.is_ready)
    pictures = []
    for theme in ("dark", "light", "dark", "light", "dark"):
        shell.theme_source.choose(theme)
        qtbot.waitUntil(lambda: page.is_ready)
        pictures.append(picture_of(page))
    page.editor.zoom(5)
    shell.theme_source.choose("light")
    larger = picture_of(page)
    shell.theme_source.choose("dark")
    page.editor.zoom(-5)
    qtbot.waitUntil(lambda: page.is_ready)
    assert pictures[2].differences(pictures[4]) == []
    assert pictures[1].differences(pictures[3]) == []
    assert pictures[2].differences(picture_of(page)) == []
    assert pictures[1].differences(larger)
    for image in (pictures[1].image, larger.image):  # no dark part is left
        assert all(image.pixelColor(x, y).lightness() > 40 for x in range(1, 600, 7) for y in range(1, 20))
    sizes = [part.font().pixelSize() for part in page.card.findChildren(QWidget)]
    page.editor.zoom(6)
    grown = [part.font().pixelSize() for part in page.card.findChildren(QWidget)]
    assert sum(new > old for new, old in zip(grown, sizes, strict=True)) > 5


def test_the_page_begins_gently(page, qtbot, monkeypatch):
    told = []
    for part in (page.editor, page.ids_panel.strip):
        monkeypatch.setattr(part, "set_frame_time", lambda *most_ms, **how: told.append((*most_ms, how)))
    page.begin_gently(1)
    qtbot.waitUntil(lambda: len(told) == 4)
    assert [how for _, how in told] == [{"goes_gently": True}, {}, {}, {}]
    assert (told[0][0] < told[2][0], told[1][0] < told[3][0]) == (True, True)


def test_what_is_shown_beside_the_text_is_kept_once_somebody_chose_it(make_shell):
    def opened():
        return make_shell(b"one", "demo:bpe", lambda name, pre, progress: guiapp.open_model(name))

    def shown(shell):
        page = shell.window.inspect_page
        return page.text_panel.margin.isVisible(), page.spans.note_at(0) != "", page.budget_bar.isVisible()

    names, shell = ("line_tokens", "pieces", "budget"), opened()
    assert shown(shell) == (False, False, False)
    assert [shell.settings.store.value(f"shows_{name}") for name in names] == [None] * 3
    for name in names:
        shell.window.actions_table[name].trigger()
    shell.settings.save()
    other = opened()
    assert shown(shell) == shown(other) == (True, True, True)
    assert all(other.window.actions_table[name].isChecked() for name in names)
