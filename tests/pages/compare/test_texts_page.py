"""Two texts beside each other in a real window, with real clicks and keys."""

import numpy as np
import pytest
from controls_in_words import controls_of
from editor_hands import place_of_byte
from fitting import unreadable
from hands import drop, files, turn_wheel
from menus import offered, take
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from guiapp.analysis.compare.id_changes import as_text
from guiapp.analysis.explain.id_lists import as_json
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.demo import sample_text

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
TEXT = sample_text("welcome")[:900]
LONG = b"".join(b"Line %d of a text that is long enough to scroll.\n" % number for number in range(400))


@pytest.fixture
def open_page(show_page, qtbot):
    """Shows the page of the shared window, with nothing on its right side."""

    def make(text=TEXT):
        page = show_page("compare_texts", "demo:bpe", text)
        page.compared.take_ids(False)
        for side in (page.compared.second.text, page.compared.ids.text):
            side.show(b"")
        qtbot.waitUntil(lambda: page.isVisible() and page.is_ready)
        return page

    return make


@pytest.fixture
def page(open_page):
    return open_page()


def write(page, text, qtbot):
    page.compared.second.text.show(text)
    qtbot.waitUntil(lambda: page.compared.report is not None)


def focused(qtbot, key, modifiers=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget(), key, modifiers)


def details_text(page):
    return "\n".join(controls_of(page.details))


def test_all_words_can_be_read_in_a_window_of_any_size(page, qtbot):
    write(page, TEXT + TEXT[:90], qtbot)
    assert unreadable(page.window()) == []


def test_text_is_typed_at_the_right_and_its_tokens_counted(page, qtbot):
    qtbot.mouseClick(page.right.editor.viewport(), Left)
    for letter in "Hi you":
        qtbot.keyClick(page.right.editor, letter)
    assert page.compared.second.document.text() == b"Hi you"
    qtbot.waitUntil(lambda: page.compared.report is not None)
    n_tokens = len(page.compared.first.tokenizer.encode(b"Hi you").token_ids)
    assert f"{n_tokens} | Tokens" in controls_of(page.right.head)
    assert f"+{len(page.compared.first.tokens) - n_tokens:,}" in controls_of(page.left_head)
    assert page.shell.session.document.text() == TEXT
    focused(qtbot, Key.Key_Z, CTRL)
    assert page.compared.second.document.text() != b"Hi you"
    assert page.shell.session.document.text() == TEXT


def test_the_left_text_is_copied_by_a_click_and_then_changed(page, qtbot):
    qtbot.mouseClick(page.right.copy_button, Left)
    qtbot.waitUntil(lambda: page.compared.report is not None)
    assert page.compared.second.document.text() == TEXT
    assert f"The same {len(page.compared.first.tokens)} tokens" in details_text(page)
    focused(qtbot, Key.Key_End, CTRL)
    qtbot.keyClicks(QApplication.focusWidget(), "!!")
    qtbot.waitUntil(lambda: page.compared.report is not None)
    assert f"{page.compared.outcome.n_common} tokens in common" in details_text(page)


def test_keys_walk_the_changes_and_both_sides_stand_side_by_side(open_page, qtbot):
    page = open_page(LONG)
    other = LONG.replace(b"Line 200 of", b"Line two hundred of, and much more beside that, says").replace(
        b"Line 350 ", b""
    )
    write(page, b"One more line\n" * 30 + other, qtbot)
    n_changes = len(page.compared.outcome.rows)
    assert n_changes >= 3
    seen = []
    page.left.setFocus()
    for _ in range(n_changes):
        focused(qtbot, Key.Key_F8)
        seen.append(page.compared.walk.current)
        change = page.compared.current_change
        places = [
            view.rows.position_of(side.byte_span(change)[0])
            for view, side in zip((page.left, page.right.editor), page.compared.sides, strict=True)
        ]
        assert all(0 <= place.y < page.left.viewport().height() for place in places)
        if 0 < page.compared.walk.current < n_changes - 1:
            assert abs(places[0].y - places[1].y) <= 1
    assert sorted(seen) == list(range(n_changes))
    for view, side in ((page.left, page.compared.left), (page.right.editor, page.compared.right)):
        places = view.verticalScrollBar().fractions
        assert len(places) == n_changes
        expected = [
            side.byte_span(page.compared.change(at))[0] / side.document.size for at in range(n_changes)
        ]
        assert np.abs(places - expected).max() < 0.05
    focused(qtbot, Key.Key_F8, SHIFT)
    assert page.compared.walk.current == seen[-2]
    assert page.walking.index_label.text() == f"{seen[-2] + 1} of {n_changes}"


def test_a_side_that_is_scrolled_takes_the_other_along(open_page, qtbot):
    page = open_page(LONG)
    inserted = b"Something that the left text does not have\n" * 40
    at = LONG.index(b"Line 100 ")
    write(page, LONG[:at] + inserted + LONG[at:], qtbot)
    for view, other, side in (
        (page.left, page.right.editor, page.compared.left),
        (page.right.editor, page.left, page.compared.right),
    ):
        view.show_at(side.document.line_start(250), 0)
        offset, y = view.top
        counterpart = side.counterpart_offset(page.compared.sides[1 - side.side], offset)
        assert abs(other.rows.position_of(counterpart).y - y) <= 1
        document = page.compared.sides[1 - side.side].document
        assert document.slice(*document.line_span(document.line_of(counterpart))) == (
            side.document.slice(*side.document.line_span(side.document.line_of(offset)))
        )
    before = page.left.top
    turn_wheel(page.right.editor.viewport(), QPoint(50, 50), -120)
    assert page.left.top != before


def test_a_change_is_gone_to_by_a_click_on_its_row(page, qtbot):
    write(page, TEXT[:200] + b"NEW" + TEXT[200:600] + TEXT[640:], qtbot)
    rows = page.details.list
    index = rows.model().index(1, 0)
    rows.scrollTo(index)
    qtbot.mouseClick(rows.viewport(), Left, pos=rows.visualRect(index).center())
    assert page.compared.walk.current == 1
    assert f"CHANGE 2 OF {len(page.compared.outcome.rows)}" in details_text(page)
    qtbot.mouseClick(page.details.go_to_first_difference, Left)
    assert page.compared.walk.current == 0


def test_the_result_is_copied_in_the_format_of_the_command_line(page, qtbot):
    write(page, TEXT[:300], qtbot)
    qtbot.mouseClick(page.copy, Left)
    assert QGuiApplication.clipboard().text() == as_text(page.compared.report, is_markdown=True) + "\n"
    assert "| at | removed |" in QGuiApplication.clipboard().text()


def test_pasted_ids_show_their_tokens_and_what_is_wrong(page, qtbot):
    ids = page.compared.first.tokens.ids(0, len(page.compared.first.tokens))
    qtbot.mouseClick(page.right.kinds.findChildren(QToolButton)[1], Left)
    QGuiApplication.clipboard().setText(as_json(np.append(ids[0], ids)))
    focused(qtbot, Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: page.compared.report is not None)
    assert page.compared.ids.read.text == TEXT
    assert "1 token in common" in details_text(page)
    assert "There is a second BOS in the list of ids." in details_text(page)
    assert f"{len(ids) + 1} | Tokens" in controls_of(page.right.head)
    qtbot.keyClicks(page.right.numbers, "x")
    qtbot.waitUntil(lambda: page.compared.ids.read.error != "" and not page.compared.is_outdated)
    assert "is not a whole number" in details_text(page)


def test_each_kind_keeps_what_is_in_it(page, qtbot):
    write(page, b"another", qtbot)
    for kind in (1, 0):
        qtbot.mouseClick(page.right.kinds.findChildren(QToolButton)[kind], Left)
        assert page.right.field.hasFocus()
        focused(qtbot, Key.Key_7)
    assert page.compared.second.document.text() == b"7another"
    assert page.compared.ids.text.document.text() == b"7"
    page.shell.window.actions_table["inspect"].trigger()
    page.shell.window.actions_table["compare_texts"].trigger()
    assert page.right.editor.isVisible()
    assert page.compared.second.document.text() == b"7another"


def test_a_file_is_opened_on_the_side_where_it_is_dropped(page, qtbot, tmp_path):
    path = tmp_path / "other <b>text.txt"
    path.write_bytes(b"from a file")
    mime = files(path)
    with qtbot.waitSignal(page.compared.second.text.file_changed):
        assert drop(page.right, QPoint(40, 300), mime)
    assert page.compared.second.document.text() == b"from a file"
    assert page.shell.session.document.text() == TEXT
    qtbot.waitUntil(lambda: page.compared.report is not None)
    assert page.compared.report.names == ("The first text", path.name)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    assert drop(page.right, QPoint(40, 300), mime)
    qtbot.waitUntil(lambda: ["PNG picture" in notice.message for notice in page.notices.notices] == [True])


def test_of_several_files_or_a_folder_the_first_is_at_the_left_and_all_can_be_shown(page, qtbot, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("a&b.txt", "b.txt", "c.txt"):
        (folder / name).write_text(f"text of {name}")
    page.open_texts([folder])
    second, menu = page.compared.second, page.right.open_button.menu()
    qtbot.waitUntil(lambda: second.document.text() == b"text of b.txt")
    qtbot.waitUntil(lambda: page.shell.session.document.text() == b"text of a&b.txt")
    assert offered(menu) == ["File…", "Folder…", "", "a&&b.txt", "b.txt | checked", "c.txt"]
    take(menu, "c.txt")
    qtbot.waitUntil(lambda: second.document.text() == b"text of c.txt")
    assert drop(page.right, QPoint(40, 300), files(folder / "c.txt", folder / "b.txt"))
    qtbot.waitUntil(lambda: page.shell.session.document.text() == b"text of c.txt")
    (tmp_path / "empty").mkdir()
    with qtbot.waitSignal(second.text.failed) as failed:
        page.open_texts([tmp_path / "empty"])
    assert "has no text files" in failed.args[0]


def test_the_wheel_enlarges_both_sides(page):
    before = page.left.font_px
    turn_wheel(page.right.editor.viewport(), QPoint(50, 50), 120, CTRL)
    assert page.left.font_px == page.right.editor.font_px > before


def test_keys_reach_every_panel(page, qtbot):
    write(page, b"another", qtbot)
    page.left.setFocus()
    for panel in page.panels[1:]:
        focused(qtbot, Key.Key_F6)
        assert panel.hasFocus()


def test_the_edit_menu_is_for_the_text_in_which_people_type(page, qtbot):
    write(page, b"another", qtbot)
    page.right.editor.setFocus()
    actions = page.shell.window.actions_table
    actions["select_all"].trigger()
    QGuiApplication.clipboard().setText("pasted")
    actions["paste"].trigger()
    assert page.compared.second.document.text() == b"pasted"
    page.left.setFocus()
    actions["paste"].trigger()
    assert page.shell.session.document.text() == b"pasted" + TEXT
    assert actions["paste"] in page.right.editor.actions()


def menu_over(view, offset):
    place = place_of_byte(view, offset)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


@pytest.mark.parametrize(
    ("side", "offset", "n_variants", "is_stepped"),
    [("left", 6, 1, True), ("editor", 6, 1, False), ("numbers", 7, 0, False), ("decoded", 6, 1, False)],
)
def test_tooltips_and_menus_describe_tokens_as_on_the_text_page(
    open_page, qtbot, side, offset, n_variants, is_stepped
):
    page = open_page(b"Hello New York")
    vocabulary = page.compared.first.vocabulary
    if side in ("left", "editor"):
        write(page, b"Hello New York", qtbot)
    else:
        ids = page.compared.first.tokenizer.encode(b"Hello New York", add_special=False).token_ids.tolist()
        page.compared.take_ids(True)
        page.compared.ids.text.show(" ".join(map(str, ids)).encode())
        qtbot.waitUntil(lambda: page.is_ready and len(page.compared.ids.decoded.tokens) == len(ids))
    view = page.left if side == "left" else getattr(page.right, side)
    tip = view.tip(QPointF(place_of_byte(view, offset)))
    menu = menu_over(view, offset)
    words = [action.text() for action in menu.actions()]
    shown, token_id = words[0].split()
    data = vocabulary.token_bytes(int(token_id))
    assert shown == Spelling.SIGNS.token(vocabulary, int(token_id))
    assert tip.startswith(shown)
    assert f"id {token_id}" in tip
    assert len([each for each in words if each.startswith("Variants of")]) == n_variants
    assert ("Break when it is formed" in words) is is_stepped
    assert {"Show in tree", "How it is built"} <= set(words)
    row = next(each for each in menu.actions() if each.text() == "Copy text")
    qtbot.mouseClick(menu, Left, pos=menu.actionGeometry(row).center())
    assert QGuiApplication.clipboard().text().encode() == data
