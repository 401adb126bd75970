"""Columns over one text, in the real window: they are typed in, scrolled and walked through as one."""

import numpy as np
from editor_hands import click, place_of_byte, wheel
from fitting import unreadable
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.core.demo import sample_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.pages.compare.page import COMPARING

TEXT = sample_text("welcome")
PLACE = TEXT.index(b"\n") + 1


def editors_of(page):
    return [column.editor for column in page.columns.columns]


def places_of(editor):
    return [(block.start, block.y, block.bottom) for block in editor.rows.visible()]


def test_all_words_can_be_read_in_a_window_of_any_size(open_page):
    _, page = open_page("demo:bpe", "demo:unigram", "demo:spm")
    assert unreadable(page.window()) == []


def test_lines_wrap_alike_and_scroll_as_one(opened, qtbot):
    _, page = opened
    editors = editors_of(page)
    top = places_of(editors[0])
    wheel(editors[1], -3)
    assert places_of(editors[0]) != top
    assert places_of(editors[0]) == places_of(editors[1]) == places_of(editors[2])
    assert page.columns.bar.value() > 0
    page.columns.bar.setValue(page.columns.bar.maximum())
    assert places_of(editors[0]) == places_of(editors[1]) == places_of(editors[2])
    assert editors[0].rows.shows(len(TEXT))
    wheel(editors[2], 1, Qt.KeyboardModifier.ControlModifier)
    assert len({editor.font_px for editor in editors}) == 1
    wheel(editors[2], -1, Qt.KeyboardModifier.ControlModifier)


def test_typing_in_any_column_changes_the_text_of_all(opened, qtbot):
    shell, page = opened
    editors = editors_of(page)
    click(qtbot, editors[1], place_of_byte(editors[1], PLACE))
    shell.session.document.set_caret(PLACE)
    before = [len(session.tokens) for session in shell.compared.sessions]
    qtbot.keyClicks(editors[1], "12345 ")
    assert shell.session.document.slice(PLACE, PLACE + 6) == b"12345 "
    assert all(len(session.tokens) > n for session, n in zip(shell.compared.sessions, before, strict=True))
    assert places_of(editors[0]) == places_of(editors[2])
    for _ in range(6):
        qtbot.keyClick(editors[1], Qt.Key.Key_Backspace)
    assert shell.session.document.text() == TEXT
    assert page.columns.columns[1].head.is_focused


def test_keys_reach_all_parts(open_page, qtbot):
    shell, page = open_page("demo:bpe", "demo:unigram", "demo:spm", size=(1600, 900))
    qtbot.waitUntil(page.details.isVisible)
    editors_of(page)[1].setFocus()
    qtbot.keyClick(editors_of(page)[1], Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is page.columns.columns[1].head.name_button
    editors_of(page)[1].setFocus()
    qtbot.keyClick(shell.window, Qt.Key.Key_F6)
    assert QApplication.focusWidget() is editors_of(page)[2]
    qtbot.keyClick(shell.window, Qt.Key.Key_F6)
    assert page.summary.isAncestorOf(QApplication.focusWidget())
    qtbot.keyClick(shell.window, Qt.Key.Key_F6)
    assert QApplication.focusWidget() is page.details


def test_f8_steps_through_differences_and_explains_them(opened, qtbot):
    shell, page = opened
    n_all = page.walk.n_all
    assert n_all > 3
    for number in range(1, 4):
        qtbot.keyClick(shell.window, Qt.Key.Key_F8)
        assert page.walk.current == number - 1
        assert page.bar.walking.index_label.text() == f"{number} of {n_all:,}"
    qtbot.keyClick(shell.window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert page.walk.current == 1
    qtbot.waitUntil(lambda: page.is_ready)
    explanation = page.details.reason.toPlainText()
    assert page.causes.explained[0].reason.title in explanation.lower()
    for row, column in enumerate(page.comparison.rows):
        first, last = page.comparison.tokens_in(column, *page.walk.byte_span)
        ids = column.tokens.ids(first, last).tolist()
        assert page.details.grid.rows[row].token_ids == ids
    asked = []
    shell.window.requests.race_wanted.connect(lambda *given: asked.append(given))
    expected = shell.compared.sessions[page.causes.explained[0].other], page.walk.byte_span[0]
    page.details.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert page.causes.explained[0].reason.sentence in copied
    assert " ".join(map(str, ids)) in copied
    page.details.race_button.click()
    assert asked == [expected]


def test_the_current_difference_moves_with_edits_and_can_be_deleted(opened, qtbot):
    shell, page = opened
    page.walk.go_to(5)
    start, end = page.walk.byte_span
    shell.session.document.replace(0, 0, b"more ")
    assert page.walk.byte_span == (start + 5, end + 5)
    shell.session.document.replace(start, end + 6, b"")
    assert page.walk.current is None


def test_a_click_on_a_cause_walks_through_those_only(opened, qtbot):
    _, page = opened
    counts = page.causes.counts
    assert sum(count.count for count in counts) == page.walk.n_all
    rarest = counts[-1]
    row = page.details.causes.rows[-1]
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    seen = set()
    for _ in range(rarest.count + 1):
        seen.add(page.walk.current)
        page.walk.step(1)
    assert len(seen) == rarest.count
    ids = page.comparison.live.differences.ids(0, page.walk.n_all)
    assert set(np.flatnonzero(ids == rarest.kind).tolist()) == seen
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert page.walk.kind is None


def test_an_edit_at_the_end_keeps_all_columns_at_one_place(opened, qtbot):
    shell, page = opened
    page.columns.bar.setValue(page.columns.bar.maximum())
    size = shell.session.document.size
    shell.session.document.replace(size // 3, size, b"")  # most lines that show are gone
    assert places_of(editors_of(page)[0]) == places_of(editors_of(page)[1]) == places_of(editors_of(page)[2])


def test_while_the_page_is_hidden_nothing_is_compared(opened, qtbot):
    shell, page = opened
    shell.window.actions_table["inspect"].trigger()
    assert page.comparison.live is None
    shell.session.document.replace(0, 4, b"typed elsewhere")
    assert page.comparison.live is None
    shell.window.actions_table["compare"].trigger()
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.comparison.live is not None
    assert places_of(editors_of(page)[0]) == places_of(editors_of(page)[2])
    assert page.walk.n_all > 0


def test_tokens_per_line_and_the_largest_excess_are_counted(opened):
    shell, page = opened
    document = shell.session.document
    figures = page.columns.figures
    for line in range(document.n_lines):
        start, end = document.line_span(line)
        for row, column in enumerate(page.comparison.rows):
            ids, starts, ends, _ = column.tokens.between(0, len(column.tokens))
            is_added = (starts == ends) & (column.attributes_of(ids) & Attribute.CONTROL.value > 0)
            expected = int(np.count_nonzero((starts >= start) & (starts < end) & ~is_added))
            assert figures.in_line(start, end)[row] == expected
    counts = np.array([figures.in_line(*document.line_span(line)) for line in range(document.n_lines)])
    more = (counts - counts.min(axis=1, keepdims=True)).max(axis=1)
    QTest.qWait(400)
    assert figures.most_more == more.max()
    expensive = [document.line_start(line) for line in np.flatnonzero(more)]
    assert figures.dear_lines.tolist() == expensive
    assert figures.dearness.tolist() == more[more > 0].tolist()


def test_a_model_with_unknown_tokens_does_not_have_the_fewest(open_page, qtbot):
    text = "🦄🦄🦄🦄🦄🦄🦄🦄 zoo".encode()
    _, page = open_page("demo:bpe", "demo:wordpiece", text=text)
    qtbot.waitUntil(lambda: "unknown" in page.columns.columns[1].head.accessibleName())
    assert "fewest" in page.columns.columns[0].head.accessibleName()
    figures = page.columns.figures
    assert [figures.more_in_line(row, 0, len(text)) for row in (0, 1)] == [0, 0]
    assert figures.most_more == 0
    header = [page.summary.view.table.headerData(at, Qt.Orientation.Horizontal) for at in range(7)]
    assert "unknown" in header


def test_the_reason_has_room_whether_it_is_opened_or_comes_below_the_columns(open_page, qtbot):
    shell, page = open_page("demo:bpe", "demo:unigram", "demo:spm", "demo:wordpiece", text=TEXT[:200])
    assert page.details.isHidden()
    qtbot.mouseClick(page.bar.details_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.details.height() > 200
    shell.compared.remove(shell.compared.sessions[3])
    shell.compared.remove(shell.compared.sessions[2])
    qtbot.waitUntil(lambda: page.is_ready)
    shell.compared.add("demo:spm")
    shell.compared.add("demo:wordpiece")
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.details.height() > 200
    assert page.columns.height() > 200


def test_no_count_of_differences_is_shown_while_comparing(open_page, qtbot, monkeypatch):
    shell, page = open_page("demo:bpe", "demo:unigram", text=TEXT[:200])
    for name in ("kit.document.live_spans", "pages.compare.models"):  # all in the background
        monkeypatch.setattr(f"guiapp.{name}.MOST_AT_ONCE", 0)
    walking, document = page.bar.walking, shell.session.document
    document.set_text(document.text() + b" one more line, of another text")
    assert (walking.index_label.text(), walking.isEnabled()) == (COMPARING, False)
    qtbot.waitUntil(walking.isEnabled)
    assert walking.index_label.text() == f"{page.walk.n_all} differences"
