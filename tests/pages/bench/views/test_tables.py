"""Tables of the Bench page by real clicks: sorted by any column, and copied as they stand."""

import pytest
from bench_runs import EVERYTHING
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from guiapp.analysis.export.tables import Table
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.results import (
    NOTHING_COMPARED,
    NOTHING_MEASURED,
    NOTHING_PUBLISHED,
    TablesView,
    changed,
    figures,
    published,
)


@pytest.fixture
def view(qtbot) -> TablesView:
    view = TablesView(ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show_tables(*figures(EVERYTHING, "fast"))
    view.show()
    return view


def click(view: TablesView, link: str, qtbot) -> None:
    """On the place where the link is drawn, whatever is there."""
    for y in range(view.viewport().height()):
        for x in range(0, view.viewport().width(), 4):
            if view.anchorAt(QPoint(x, y)) == link:
                qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x + 2, y + 2))
                return
    pytest.fail(f"{link} is not on screen")


def copied(view: TablesView, kind: str, qtbot) -> list[str]:
    click(view, f"{kind}:0", qtbot)
    return QGuiApplication.clipboard().text().splitlines()


def test_a_table_is_copied_in_both_formats_and_says_so(view, qtbot):
    head, *rows = copied(view, "csv", qtbot)
    assert head.startswith("contender,tokens/s,MB/s,± %,of fast,ids")
    assert "Copied" in view.toPlainText()
    markdown = copied(view, "markdown", qtbot)
    assert markdown[0].startswith("| contender | tokens/s | MB/s | ± % | of fast | ids |")
    assert [line.split(" | ")[0].strip("| ") for line in markdown[2:]] == [row.split(",")[0] for row in rows]


def test_a_click_on_a_head_sorts_and_another_turns_the_order(view, qtbot):
    best = [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]]
    assert "tokens/s ↓" in view.toPlainText(), "the best come first"
    for column in (1, 2):
        click(view, f"sort:0:{column}", qtbot)
        cells = [row.split(",")[column] for row in copied(view, "csv", qtbot)[1:]]
        speeds = [float(cell.removesuffix(" M")) for cell in cells if cell != "–"]
        assert speeds == sorted(speeds, reverse=column == 2)
    click(view, "sort:0:0", qtbot)
    names = [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]]
    assert names == sorted(best)
    assert "contender ↑" in view.toPlainText()
    view.show_tables(*figures(EVERYTHING, "heap"))
    assert [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]] == names, "the order stays"


def test_a_table_begins_with_what_there_is_to_say(view):
    assert figures({"results": []}, "fast") == (NOTHING_MEASURED, [])
    assert changed(None) == (NOTHING_COMPARED, [])
    assert published({"results": []}) == (NOTHING_PUBLISHED, [])
    view.show_tables("<An introduction>", [])
    assert view.toPlainText() == "<An introduction>"
    view.show_tables("", [Table("Title & more", [("head", "n"), ("<b>", "1")], "a note")])
    shown = view.toPlainText()
    assert all(words in shown for words in ("Title & more", "a note", "<b>", "head"))
    assert "<img" not in view.toHtml(), "only contenders have markers"
