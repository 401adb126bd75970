"""The summary by hand: in a real window, with real clicks and keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMainWindow
from summaries import Opened, close, compared_models

from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.compare import summary as summary_module
from guiapp.pages.compare.summary_panel import SummaryPanel, TermsPopover

LEFT = Qt.MouseButton.LeftButton
OTHERS = ("demo:wordpiece", "demo:toy")


@pytest.fixture
def panel(qtbot, tmp_path, monkeypatch):
    """Two columns and two further models; all have counted."""
    monkeypatch.setattr(summary_module, "PAUSE_MS", 0)
    compared = compared_models(qtbot, ["demo:bpe", "demo:spm"])
    requests = PageRequests()
    theme_source = ThemeSource(QApplication.instance(), "dark")
    made = SummaryPanel(compared, requests, Settings(tmp_path / "settings.ini"), theme_source, Opened())
    made.compared, made.requests = compared, requests
    window = QMainWindow()
    window.setCentralWidget(made)
    qtbot.addWidget(window)
    window.resize(1100, 420)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    made.setFocus()
    made.summary.add_all((name, None) for name in OTHERS)
    wait(qtbot, made)
    made.window_ = window
    yield made
    made.stop()
    close(compared)


def wait(qtbot, panel):
    qtbot.waitUntil(lambda: not panel.summary.is_counting)


def names(panel):
    return [row.name for row in panel.view.table.rows]


def note(panel):
    return panel.findChild(FittedLabel).whole_text


def titles(menu):
    return [action.text() for action in menu.actions()]


def click_head(qtbot, view, title):
    header = view.horizontalHeader()
    shown = (str(header.model().headerData(at, header.orientation())) for at in range(header.count()))
    column = next(at for at, each in enumerate(shown) if each.endswith(title))
    at = QPoint(
        header.sectionViewportPosition(column) + header.sectionSize(column) // 2, header.height() // 2
    )
    qtbot.mouseClick(header.viewport(), LEFT, pos=at)


def position_of(panel, name, part):
    """Where the note (0) or the cross (1) of a model is."""
    view, row = panel.view, next(row for row in panel.view.table.rows if row.name == name)
    index = panel.view.table.index(panel.view.table.rows.index(row), 0)
    place = view.visualRect(index).adjusted(8, 0, -8, -1)
    return view.itemDelegateForColumn(0).part_rects(place, row)[part].center()


def click_part(qtbot, panel, name, part):
    qtbot.mouseClick(panel.view.viewport(), LEFT, pos=position_of(panel, name, part))


def test_a_click_on_any_head_sorts_and_the_third_brings_the_order_back(panel, qtbot):
    added = names(panel)
    for title in ("tokens", "Latin", "model"):
        view = panel.view
        column = [each.title for each in panel.view.table.columns].index(title)
        click_head(qtbot, view, title)
        cells = [panel.view.table.index(row, column).data() for row in range(4)]
        key = str.casefold if title == "model" else float
        assert cells == sorted(cells, key=key)
        click_head(qtbot, view, title)
        cells = [panel.view.table.index(row, column).data() for row in range(4)]
        assert cells == sorted(cells, key=key, reverse=True)
        click_head(qtbot, view, title)
        assert names(panel) == added
    click_head(qtbot, panel.view, "tokens")
    click_head(qtbot, panel.view, "model")
    assert panel.view.horizontalHeader().sortIndicatorSection() == 0


def test_the_cross_takes_a_model_out_but_never_the_first(panel, qtbot):
    click_part(qtbot, panel, OTHERS[0], 1)
    click_part(qtbot, panel, "demo:bpe", 1)
    click_part(qtbot, panel, "demo:spm", 1)
    assert names(panel) == ["demo:bpe", OTHERS[1]]
    assert len(panel.compared.sessions) == 1


def test_a_click_makes_a_row_a_column(panel, qtbot):
    click_part(qtbot, panel, OTHERS[0], 0)
    assert len(panel.compared.sessions) == 3
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.RightButton, pos=position_of(panel, OTHERS[1], 0))
    qtbot.waitUntil(lambda: names(panel) == ["demo:bpe", "demo:spm", *OTHERS])
    wait(qtbot, panel)
    click_part(qtbot, panel, "demo:spm", 0)
    assert len(panel.compared.sessions) == 3


def test_delete_removes_selected_rows_and_sorting_keeps_selection(panel, qtbot):
    figures = panel.view
    figures.setFocus()
    panel.view.selectRow(0)
    assert titles(panel.view.menu())[-1] == "Sort by model", "it is a column, and stays"
    panel.view.selectRow(3)
    assert titles(panel.view.menu())[-2:] == ["Show in a column", "Remove"]
    qtbot.keyClick(figures, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert [row.name for row in panel.view.selected_rows()] == list(OTHERS)
    assert "Show in a column" not in titles(panel.view.menu()), "one at a time"
    panel.view.selectRow(3)
    click_head(qtbot, figures, "tokens")
    assert [row.name for row in panel.view.selected_rows()] == [OTHERS[1]]
    qtbot.keyClick(figures, Qt.Key.Key_Delete)
    assert names(panel).count(OTHERS[1]) == 0
    assert len(panel.view.table.rows) == 3
    assert figures.currentIndex().isValid()


def test_rows_are_copied_with_tabs_or_as_markdown(panel, qtbot):
    figures = panel.view
    figures.setFocus()
    figures.clearSelection()
    qtbot.keyClick(figures, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == panel.view.table.as_text(range(len(panel.view.table.rows)))
    qtbot.mouseClick(figures.viewport(), LEFT, pos=figures.visualRect(panel.view.table.index(1, 2)).center())
    qtbot.keyClick(figures, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert len(copied) == 2
    assert copied[1].split("\t")[0] == panel.summary.titles()[1]
    action_of(panel.view.menu(), "Sort by model").trigger()
    shown = [panel.view.table.title_of(row) for row in panel.view.table.rows]
    assert shown == sorted(shown, key=str.casefold)
    action_of(panel.view.menu(), "Sort by ratio").trigger()
    assert panel.view.horizontalHeader().sortIndicatorSection() == 2
    action_of(panel.view.menu(), "Copy as Markdown").trigger()
    assert QGuiApplication.clipboard().text().count("\n") == 3


def action_of(menu, title):
    return next(action for action in menu.actions() if action.text() == title)


@pytest.mark.parametrize(
    ("title", "ending"), [("Table…", ".csv"), ("Markdown…", ".md"), ("Drawing of bars…", ".svg")]
)
def test_the_menu_writes_files(panel, qtbot, tmp_path, monkeypatch, title, ending):
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / "models.v2"), asked[3])
    )
    action_of(panel.export_button.menu(), title).trigger()
    qtbot.waitUntil(lambda: panel.saving.saved is not None)
    assert panel.saving.saved == tmp_path / f"models.v2{ending}"
    assert panel.saving.saved.read_bytes() == panel.summary.report(ending)


def test_models_are_added_by_the_picker_and_by_files(panel, qtbot, tmp_path, monkeypatch):
    asked = []
    panel.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    action_of(panel.add_button.menu(), "Choose…").trigger()
    [(widget, take)] = asked
    assert widget is panel.add_button
    take("demo:rwkv", None)
    assert "to count" not in note(panel), "of one"
    wait(qtbot, panel)
    broken = tmp_path / "bro<b>ken\u202e.gguf"
    broken.write_bytes(b"GGUF")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *asked: ([str(broken), "demo:unigram"], ""))
    action_of(panel.add_button.menu(), "Several files…").trigger()
    assert "7 models, this text · 2 models to count" in note(panel)
    wait(qtbot, panel)
    assert names(panel)[4:] == ["demo:rwkv", str(broken), "demo:unigram"]
    view = panel.view
    assert [view.columnSpan(row, 1) > 1 for row in range(7)] == [False] * 5 + [True] + [False]
    shown = view.table.index(5, 0).data() + view.table.index(5, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "\u202e" not in shown


def test_a_tip_with_a_strangers_name_is_no_markup(panel):
    panel.summary.rows[2].title = "<b>big</b>"
    panel.summary.changed.emit()
    assert "&lt;b&gt;big" in panel.view.table.index(2, 0).data(Qt.ItemDataRole.ToolTipRole)


def test_a_folder_is_counted_and_left(panel, qtbot, tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("some text")
    (tmp_path / "docs" / "b.bin").write_bytes(b"\0")
    assert not panel.text_button.isVisible()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(tmp_path / "docs"))
    qtbot.mouseClick(panel.folder_button, LEFT)
    qtbot.waitUntil(panel.text_button.isVisible)
    wait(qtbot, panel)
    assert "1 text in" in note(panel)
    assert "1 other file skipped" in note(panel)
    assert {row.counts.whole.n_bytes for row in panel.summary.rows} == {9}
    qtbot.mouseClick(panel.text_button, LEFT)
    wait(qtbot, panel)
    assert not panel.text_button.isVisible()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(tmp_path / "none<b>"))
    qtbot.mouseClick(panel.folder_button, LEFT)
    qtbot.waitUntil(lambda: "none<b>" in panel.summary.failure)


def test_prices_and_context_are_typed(panel, qtbot):
    panel.view.selectRow(1)
    qtbot.mouseClick(panel.terms_button, LEFT)
    popover = panel.findChild(TermsPopover)
    type_into(qtbot, popover.price, "2.5")
    type_into(qtbot, popover.own, "4")
    type_into(qtbot, popover.context, "1,000")
    first, second, *_ = panel.summary.rows
    assert panel.summary.terms.for_models([first.name, second.name]).prices == (2.5, 4.0)
    assert panel.summary.terms.chosen.context == 1000
    assert [each.title for each in panel.view.table.columns[5:8]] == ["unknown", "of context", "cost"]
    type_into(qtbot, popover.price, "much")
    assert popover.price.text() == "2.5"
    type_into(qtbot, popover.price, " ")
    assert (popover.price.text(), panel.summary.terms.chosen.price) == ("", None)
    popover.close()


def type_into(qtbot, field: QLineEdit, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)
