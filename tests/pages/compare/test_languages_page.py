"""Compare › Languages in the real window: a folder by drop, button and menu, what shows, and what fails."""

import json
import threading

import pytest
from conftest import PATIENCE_S
from fitting import unreadable
from hands import drop, files, wait_for_results
from menus import offered, take
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog

import guiapp
from guiapp.analysis.languages.languages_report import csv_text, record
from guiapp.pages.compare import languages as languages_module
from guiapp.pages.compare.languages import language_names

LEFT = Qt.MouseButton.LeftButton
TEXTS = {
    "eng_Latn.txt": "One two\nthree\n",
    "tha_Thai.txt": "หนึ่งสอง\nสาม\n",
    "zho_Hans.txt": "一二\n三\n",
    "zho_Hant.txt": "壹貳\n參叄\n",
    "odd <b>&x.txt": "x\ny z\nw\n",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "texts" / name).write_text(text, "utf-8")
    return tmp_path / "texts"


@pytest.fixture
def page(show_page):
    page = show_page("compare_languages", "demo:bpe")
    page.views.choose(0)
    page.model.choose_reference("")
    return page


@pytest.fixture
def counted(page, folder, qtbot):
    page.model.open_folder(folder)
    wait_for_results(page, qtbot)
    return page


def rows(page):
    table = page.table
    return [[table.index(row, at).data() for at in range(table.columnCount())] for row in range(table.n_rows)]


@pytest.mark.parametrize("how", ["drop", "button", "menu"])
def test_a_folder_is_opened_and_the_most_expensive_language_is_named(page, folder, qtbot, monkeypatch, how):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(folder))
    if how == "drop":
        assert drop(page, QPoint(9, 9), files(folder))
    elif how == "button":
        qtbot.mouseClick(page.help, LEFT)
    else:
        page.shell.window.actions_table["inspect"].trigger()
        page.shell.window.actions_table["open_languages"].trigger()
        qtbot.waitUntil(page.isVisible)
    wait_for_results(page, qtbot)
    result = guiapp.languages(["demo:bpe"], folder)
    most = result.languages[result.premium[0].argmax()]
    assert page.bars.title.startswith(f"{language_names(result.languages)[most]} costs ")
    assert "as many tokens as English" in page.bars.title
    assert [row.key for row in page.bars.data.rows] == [
        result.languages[at] for at in (-result.premium[0]).argsort(kind="stable")
    ]
    assert {row[0].split(" (")[-1]: row[1] for row in rows(page)} == {
        f"{name})": f"{n:,}" for name, n in zip(result.languages, result.tokens[0].tolist(), strict=True)
    }


def test_a_text_that_is_dropped_is_the_windows(page, folder, qtbot):
    before = page.model.folder
    assert drop(page, QPoint(9, 9), files(folder / "eng_Latn.txt"))
    qtbot.waitUntil(lambda: page.shell.session.document.text() == b"One two\nthree\n")
    assert page.model.folder == before


def test_languages_have_names_that_differ_by_script():
    assert language_names(["tha_Thai", "arb_Arab", "de", "xyz_Latn", "<b>"]) == {
        "tha_Thai": "Thai",
        "arb_Arab": "Arabic",
        "de": "German",
        "xyz_Latn": "xyz_Latn",
        "<b>": "<b>",
    }
    both = language_names(["zho_Hans", "zho_Hant"])
    assert both["zho_Hans"] != both["zho_Hant"]
    assert all(name.startswith("Chinese") for name in both.values())


def test_model_and_reference_are_chosen_without_counting_again(counted, qtbot, folder):
    counted.shell.compared.add("demo:unigram")
    qtbot.waitUntil(lambda: counted.model.compared is not None and len(counted.model.compared.models) == 2)
    wait_for_results(counted, qtbot)
    value = counted.model.counting.value
    take(counted.models.menu(), value.models[1])
    take(counted.references.menu(), "Thai")
    assert counted.model.counting.value is value
    expected = guiapp.languages(["demo:bpe", "demo:unigram"], folder, "tha_Thai")
    premiums = {row[0].split(" (")[-1][:-1]: row[2] for row in rows(counted)}
    for name, premium in zip(expected.languages, expected.premium[1].tolist(), strict=True):
        assert premiums[name] == f"{premium:.2f}×"
    assert {curve.key for curve in counted.curves.data.curves} == {0, 1}
    assert "average" in counted.curves.data.titles[0]
    assert sum("checked" in row for row in offered(counted.references.menu())) == 1
    counted.shell.compared.sessions[0].set_encoder("greedy")
    qtbot.waitUntil(lambda: counted.model.counting.value is not value)


def test_a_click_on_a_title_sorts_and_rows_are_copied(counted, qtbot):
    counted.views.choose(2)
    header = counted.view.horizontalHeader()
    for column, number in ((1, int), (3, float)):
        values = []
        for _ in range(2):
            x = header.sectionViewportPosition(column) + 20
            qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, header.height() // 2))
            values.append([number(row[column].replace(",", "")) for row in rows(counted)])
        assert values == [sorted(values[0], reverse=True), sorted(values[0])]
    counted.view.selectRow(1)
    copy, markdown = counted.view.actions()
    copy.trigger()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[1].split("\t") == rows(counted)[1]
    counted.view.clearSelection()
    markdown.trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 2 + len(TEXTS)


def test_counts_are_saved_as_the_command_writes_them(counted, qtbot, tmp_path, monkeypatch, folder):
    path = tmp_path / "saved"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    texts = {}
    for form in ("CSV", "JSON", "Markdown", "Page"):
        take(counted.export.menu(), form)
        qtbot.waitUntil(lambda: counted.saving.saved is not None)
        texts[form] = counted.saving.saved.read_text("utf-8")
        counted.saving.dismiss()
    assert texts["CSV"] == csv_text(counted.model.compared)
    assert json.loads(texts["JSON"])["texts"] == record(guiapp.languages(["demo:bpe"], folder))["texts"]
    assert "| odd <b>&x |" in texts["Markdown"]
    assert "odd &lt;b&gt;&amp;x" in texts["Page"]
    assert "<b>&x" not in texts["Page"]


def test_a_folder_that_cannot_be_used_is_reported(page, folder, tmp_path, qtbot, monkeypatch):
    (empty := tmp_path / "empty").mkdir()
    page.model.open_folder(empty)
    wait_for_results(page, qtbot)
    assert str(empty) in page.contents.message.text()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(folder))
    qtbot.mouseClick(page.help, LEFT)
    wait_for_results(page, qtbot)
    assert page.model.compared is not None
    page.model.open_folder(empty)
    wait_for_results(page, qtbot)
    assert page.model.compared is None, "no counts of another folder stay"


def test_counting_shows_how_far_it_is_and_can_be_cancelled(page, folder, qtbot, monkeypatch):
    is_going, may_end = threading.Event(), threading.Event()
    count = languages_module.compare_languages

    def slow(sides, path, reference, progress):
        progress(0.5)
        is_going.set()
        assert may_end.wait(PATIENCE_S)
        return count(sides, path, reference, progress)

    monkeypatch.setattr(languages_module, "compare_languages", slow)
    page.model.open_folder(folder)
    qtbot.waitUntil(lambda: is_going.is_set() and page.model.counting.progress > 0)
    assert "50 %" in page.contents.message.text()
    qtbot.mouseClick(page.help, LEFT)
    may_end.set()
    wait_for_results(page, qtbot)
    assert page.model.compared is None
    qtbot.mouseClick(page.help, LEFT)
    wait_for_results(page, qtbot)
    assert page.model.compared is not None


def test_clicks_fade_others_and_all_words_can_be_read_in_a_small_window(counted, qtbot):
    counted.bars.clicked.emit("tha_Thai", None)
    assert counted.bars.is_faded("eng_Latn")
    counted.bars.clicked.emit("tha_Thai", None)
    assert not counted.bars.is_faded("eng_Latn")
    for view in range(3):
        counted.views.choose(view)
        QApplication.processEvents()
        assert not unreadable(counted.shell.window)
