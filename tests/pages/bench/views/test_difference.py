"""From the Bench page into the text where a contender differs, by hand."""

from __future__ import annotations

import pytest
from bench_runs import record
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.analysis.bench.corpus import corpus_named
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import run_of
from guiapp.kit.state.settings import Settings
from guiapp.window.app import build

BYTE_OFFSET = 9


@pytest.fixture
def shell(qtbot, tmp_path):
    shell = build(QApplication.instance(), Settings(tmp_path / "settings.ini"), b"typed before")
    qtbot.addWidget(shell.window)
    shell.window.resize(1280, 800)
    shell.window.show()
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.session.loader.open("demo:bpe")
    yield shell
    shell.window.close()
    shell.stop()


@pytest.fixture
def page(shell):
    """With a run in which one contender deviates."""
    size_bytes = len(corpus_named("tutorial", shell.session.vocabulary).text)
    difference = {"index": 0, "byte_offset": BYTE_OFFSET, "expected_id": None, "found_id": 0}
    row = record("throughput", "greedy", size_bytes, 1e-3, 0.9, corpus="tutorial")
    shell.window.actions_table["bench"].trigger()
    page = shell.window.pages.pages["bench"]
    plan = Plan("demo:bpe", ("tutorial",)).record()
    page.model.show_run(run_of({"plan": plan, "results": [{**row, "first_difference": difference}]}))
    page.redraw()
    QApplication.processEvents()
    return page


def place_of_link(label) -> QPoint:
    hovered: list[str] = []
    label.linkHovered.connect(hovered.append)
    for y in range(4, label.height(), 6):
        for x in range(2, label.width(), 10):
            QTest.mouseMove(label, QPoint(x, y))
            QApplication.processEvents()
            if any(hovered):
                return QPoint(x, y)
    raise AssertionError("there is no link")


def press_with_mouse(label) -> None:
    QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=place_of_link(label))


def press_with_keys(label) -> None:
    label.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(label, Qt.Key.Key_Tab)
    QTest.keyClick(label, Qt.Key.Key_Return)


@pytest.mark.parametrize("press", [press_with_mouse, press_with_keys])
def test_the_link_of_who_deviates_opens_the_place_in_the_inspect_page(shell, page, press, qtbot):
    assert f"differs on tutorial from byte {BYTE_OFFSET}:" in page.footer.notes.text()
    QTest.mouseClick(page.footer.notes_button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    press(page.footer.notes)
    qtbot.waitUntil(lambda: shell.window.pages.current_name == "inspect")
    document = shell.session.document
    assert document.text().startswith("汉武帝".encode())
    assert document.selection == (BYTE_OFFSET, BYTE_OFFSET + len("飞".encode()))
    document.undo()
    assert document.text() == b"typed before"
